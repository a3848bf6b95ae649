import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// The colours are the page's custom properties, so one theme serves both modes.
const look = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--surface)" },
  "&.cm-focused": { outline: "none" },
  "&[data-way-out]::after": {
    content: "attr(data-way-out)",
    position: "absolute",
    insetBlockEnd: "var(--space-3)",
    insetInlineEnd: "var(--space-5)",
    padding: "var(--space-2) var(--space-4)",
    font: "var(--text)",
    color: "var(--dim)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    pointerEvents: "none",
  },
  ".cm-scroller": { font: "var(--code)", lineHeight: "var(--line-code)" },
  ".cm-content": { padding: "var(--space-4) 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 var(--space-5) 0 var(--space-3)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": {
    backgroundColor: "var(--surface)",
    color: "var(--faint)",
    border: "none",
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine, &.cm-focused .cm-activeLineGutter": {
    backgroundColor: "var(--active)",
  },
  ".cm-lineNumbers .cm-gutterElement": { paddingLeft: "var(--space-5)" },
  ".cm-foldGutter .cm-gutterElement": { cursor: "pointer", padding: "0 var(--space-2)" },
  ".cm-foldPlaceholder": {
    backgroundColor: "var(--page)",
    border: "1px solid var(--line)",
    color: "var(--dim)",
    padding: "0 var(--space-3)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground":
    { backgroundColor: "var(--selection)" },
  ".cm-selectionMatch": { backgroundColor: "var(--match)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--match)" },
  ".cm-line.cm-linked": { backgroundColor: "var(--active)", boxShadow: "inset 2px 0 0 var(--accent)" },
  ".cm-line.cm-flash, &.cm-focused .cm-line.cm-flash": { backgroundColor: "var(--flash)" },
  ".cm-lintRange": {
    backgroundImage: "none",
    paddingBottom: "0",
    textDecorationLine: "underline",
    textDecorationStyle: "wavy",
    textDecorationThickness: "1px",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-error": { textDecorationColor: "var(--bad)" },
  ".cm-lintRange-warning": { textDecorationColor: "var(--warn)" },
  ".cm-lintRange-info": { textDecorationColor: "var(--accent)" },
  ".cm-lintRange-active": { backgroundColor: "var(--match)" },
  ".cm-tooltip": {
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
    font: "var(--text)",
    maxWidth: "min(560px, 90vw)",
  },
  ".cm-diagnostic": { padding: "var(--space-3) var(--space-4)", borderLeftWidth: "3px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--bad)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--accent)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    font: "var(--code)",
    maxHeight: "min(18em, 45vh)",
    maxWidth: "min(460px, 92vw)",
    minWidth: "min(250px, 60vw)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": {
    display: "flex",
    gap: "var(--space-6)",
    justifyContent: "space-between",
    alignItems: "baseline",
    padding: "var(--space-1) var(--space-4)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--selection)",
    color: "var(--ink)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--accent)", fontWeight: "var(--weight-bold)" },
  ".cm-completionLabel": { overflow: "hidden", textOverflow: "ellipsis" },
  ".cm-option-required .cm-completionLabel::after": { content: "'*'", color: "var(--bad)", paddingLeft: "var(--space-1)" },
  ".cm-completionDetail": {
    color: "var(--dim)",
    fontStyle: "normal",
    marginLeft: "0",
    overflow: "hidden",
    textOverflow: "ellipsis",
    whiteSpace: "nowrap",
    flexShrink: "3",
  },
  ".cm-tooltip.cm-completionInfo": { padding: "var(--space-4) var(--space-5)", maxWidth: "min(340px, 80vw)", maxHeight: "40vh", overflow: "auto" },
  ".cm-completionInfo p": { margin: "0", whiteSpace: "pre-line" },
  ".cm-hover": { padding: "var(--space-4) var(--space-5)", maxHeight: "50vh", overflow: "auto" },
  ".cm-hover p": { margin: "0" },
  ".cm-hover strong": { font: "var(--code)", fontWeight: "var(--weight-bold)" },
  ".cm-hover-type": { font: "var(--code)", color: "var(--dim)" },
  ".cm-hover .cm-hover-text": { marginTop: "var(--space-2)", whiteSpace: "pre-line" },
  ".cm-hover-facts": {
    display: "grid",
    gridTemplateColumns: "auto 1fr",
    gap: "var(--space-1) var(--space-5)",
    margin: "var(--space-3) 0 0",
  },
  ".cm-hover-facts dt": { color: "var(--dim)" },
  ".cm-hover-facts dd": {
    margin: "0",
    font: "var(--code)",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },
  ".cm-snippetField": { backgroundColor: "var(--match)" },
  ".cm-panels": { backgroundColor: "var(--page)", color: "var(--ink)" },
  ".cm-panels.cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-panel.cm-search": { font: "var(--text)", padding: "var(--space-3) var(--space-5)" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button, .cm-panel.cm-search label": {
    fontSize: "var(--size-code)",
  },
  ".cm-panel.cm-search [name=close]": { color: "var(--dim)", fontSize: "var(--size-title)", right: "8px" },
  ".cm-textfield": {
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "4px",
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--string)" },
  { tag: tags.content, color: "var(--ink)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: "var(--dim)" },
  { tag: [tags.keyword, tags.meta, tags.typeName, tags.labelName], color: "var(--dim)" },
]);

const celColours = EditorView.theme({
  ".cm-cel": { color: "var(--ink)" },
  ".cm-cel-string": { color: "var(--string)" },
  ".cm-cel-word": { color: "var(--key)" },
});

export const theme: Extension = [look, celColours, syntaxHighlighting(colours)];
