import { yaml as yamlMode } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, indentOnInput, indentUnit } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";

/** How an editor highlights, folds and indents. */
export interface Language {
  readonly start: Extension;
  /** Loads what replaces start. */
  readonly later?: () => Promise<Extension>;
}

const editing: Extension = [indentOnInput(), bracketMatching()];

/** YAML with folding; JSON is YAML too. */
export const yaml: Language = {
  start: [
    yamlMode(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    editing,
    foldGutter({ openText: "▾", closedText: "▸" }),
  ],
};

const indentedByTabs: Extension = [indentUnit.of("\t"), EditorState.tabSize.of(4), editing];

/** Go, whose highlighting few visits need. */
export const go: Language = {
  start: indentedByTabs,
  later: async () => [(await import("./go")).goMode, indentedByTabs],
};
