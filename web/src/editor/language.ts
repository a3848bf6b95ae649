import { yaml as yamlMode } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, indentOnInput, indentUnit, StreamLanguage } from "@codemirror/language";
import { go as goMode } from "@codemirror/legacy-modes/mode/go";
import { EditorState, type Extension } from "@codemirror/state";

const editing: Extension = [indentOnInput(), bracketMatching()];

/** YAML with folding; JSON is YAML too. */
export const yaml: Extension = [
  yamlMode(),
  indentUnit.of("  "),
  EditorState.tabSize.of(2),
  editing,
  foldGutter({ openText: "▾", closedText: "▸" }),
];

export const go: Extension = [StreamLanguage.define(goMode), indentUnit.of("\t"), EditorState.tabSize.of(4), editing];
