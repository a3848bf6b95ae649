import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, indentOnInput, indentUnit } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";

/** YAML with folding; JSON is YAML too. */
export const language: Extension = [
  yaml(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  indentOnInput(),
  bracketMatching(),
  foldGutter({ openText: "▾", closedText: "▸" }),
];
