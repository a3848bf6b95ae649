import { syntaxTree } from "@codemirror/language";
import { type Extension, Prec, type Range } from "@codemirror/state";
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";

/** A token with a colour: its start and end in the expression. */
export interface CELToken {
  readonly kind: "string" | "word";
  readonly from: number;
  readonly to: number;
}

const strings = String.raw`(?:\b[rRbB]{1,2})?(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')`;
/** Reserved words, the macros of CEL and Kubernetes, and the variables. */
const words = String.raw`(?<![\w.])(?:true|false|null|in|self|oldSelf|object|oldObject|request|params|variables|authorizer|namespaceObject)\b|\b(?:has|all|exists|exists_one|existsOne|map|filter|transformList|transformMap|transformMapEntry|cel\.bind|optMap|optFlatMap|sortBy)(?=\()`;
const pattern = new RegExp(`(?<comment>//[^\\n]*)|(?<string>${strings})|(?<word>${words})`, "g");

/** Finds the coloured tokens of an expression or of a part of one. */
export function celTokens(text: string): readonly CELToken[] {
  return [...text.matchAll(pattern)].flatMap(({ index, 0: { length }, groups }) => {
    const kind = groups?.["string"] !== undefined ? "string" : groups?.["word"] !== undefined ? "word" : undefined;
    return kind ? [{ kind, from: index, to: index + length }] : [];
  });
}

const marks = { string: Decoration.mark({ class: "cm-cel-string" }), word: Decoration.mark({ class: "cm-cel-word" }) };
/** Overrides the colour of YAML's quoted strings. */
const inner = Decoration.mark({ class: "cm-cel" });

function tokensOf(view: EditorView, from: number, to: number): Range<Decoration>[] {
  return celTokens(view.state.sliceDoc(from, to)).map((token) => marks[token.kind].range(from + token.from, from + token.to));
}

/** Longer expressions stay without colours, which would cost too much time. */
const longest = 20_000;

/** Finds the visible expressions among the values of the given YAML fields. */
function expressionsIn(view: EditorView, fields: ReadonlySet<string>): readonly { readonly from: number; readonly to: number }[] {
  const found = new Map<number, { from: number; to: number }>();
  for (const visible of view.visibleRanges) {
    syntaxTree(view.state).iterate({
      ...visible,
      enter({ name, node }) {
        if (name !== "Pair") return;
        const [key, value] = [node.firstChild, node.lastChild];
        if (!key || !value || !fields.has(view.state.sliceDoc(key.from, key.to))) return;
        const content = value.name === "BlockLiteral" ? value.lastChild : value;
        const quotes = content?.name === "QuotedLiteral" ? 1 : 0;
        if (!content || !/^(?:Literal|QuotedLiteral|BlockLiteralContent)$/.test(content.name) || content.to - content.from > longest) return;
        if (content.to - content.from > 2 * quotes) found.set(content.from, { from: content.from + quotes, to: content.to - quotes });
      },
    });
  }
  return [...found.values()];
}

function colouring(places: (view: EditorView) => readonly { readonly from: number; readonly to: number }[]): Extension {
  const decorate = (view: EditorView): DecorationSet =>
    Decoration.set(places(view).flatMap(({ from, to }) => [inner.range(from, to), ...tokensOf(view, from, to)]), true);
  const plugin = ViewPlugin.define(
    (view) => ({
      decorations: decorate(view),
      update({ docChanged, viewportChanged, startState, state, view }: ViewUpdate) {
        if (docChanged || viewportChanged || syntaxTree(startState) !== syntaxTree(state)) this.decorations = decorate(view);
      },
    }),
    { decorations: ({ decorations }) => decorations },
  );
  // The highest precedence nests deepest, inside the colours of YAML.
  return Prec.highest(plugin);
}

/** Colours CEL in the values of the given YAML fields. */
export const celIn = (fields: ReadonlySet<string>): Extension => colouring((view) => expressionsIn(view, fields));

/** Colours a document that is one CEL expression. */
export const cel: Extension = colouring(({ state: { doc } }) => (doc.length > 0 ? [{ from: 0, to: doc.length }] : []));
