import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
  snippet,
  startCompletion,
} from "@codemirror/autocomplete";
import type { Extension, Text } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import type { CompletionItem } from "../api.gen";
import type { Writing } from "./hover";
import { offsetOf, positionOf } from "./markers";

/** Offers the engine's completions. */
export function completions(writing: Writing): Extension {
  return autocompletion({
    override: [(context) => complete(context, writing)],
    icons: false,
    activateOnTypingDelay: 60,
    optionClass: (option) => `cm-option-${option.type ?? ""}`,
  });
}

/** The contexts in which a typed character requests completions: a word, the start of a value, of an expectation, or that of a marker. */
const begins = /(?:[\w$/-]|["'.]|[:-] |# ?want(?:@[+-]\d+)? |\+\S*=)$/;
const word = /^[\w$/-]*$/;
const wordWithDots = /^[\w.$/-]*$/;

async function complete(context: CompletionContext, writing: Writing): Promise<CompletionResult | null> {
  const { state, pos, explicit } = context;
  const before = state.sliceDoc(state.doc.lineAt(pos).from, pos);
  if (!explicit && !begins.test(before)) return null;
  const found = await writing.complete(positionOf(state.doc, pos));
  // After null, CodeMirror would not ask again for what was typed while the engine was busy.
  if (!found || found.items.length === 0) return { from: pos, options: [] };
  const start = offsetOf(state.doc, found.range.start);
  const quote = /^["']/.test(state.sliceDoc(start, pos)) ? 1 : 0;
  const place: Place = { lead: quote, tail: offsetOf(state.doc, found.range.end) - pos };
  const from = Math.min(start + quote, pos);
  return {
    from,
    options: found.items.map((item, index) => toOption(item, index, place)),
    validFor: validity(found.items),
  };
}

/**
 * Returns for which text the items stay valid. While CodeMirror requests others, it ignores a click on an item.
 * A dot starts another field in CEL, and is part of a key in YAML. A colon is a part of a marker, or ends it.
 */
function validity(items: readonly CompletionItem[]): NonNullable<CompletionResult["validFor"]> {
  if (items.some(({ label }) => label.includes(":"))) return (text) => items.some(({ label }) => label.startsWith(text));
  return items.some(({ label }) => label.includes(".")) ? wordWithDots : word;
}

/** The number of characters around the word that are replaced, too. */
interface Place {
  readonly lead: number;
  readonly tail: number;
}

function toOption(item: CompletionItem, index: number, place: Place): Completion {
  const { label, detail, required, description, kind } = item;
  return {
    label,
    type: required ? `${kind} cm-option-required` : kind,
    detail,
    ...(description === "" ? {} : { info: () => describe(description) }),
    // Keep the engine's order.
    boost: Math.max(99 - index, -99),
    apply: (view, completion, from, to) =>
      insert(view, completion, item, from - place.lead, Math.min(to + place.tail, view.state.doc.length)),
  };
}

function describe(description: string): HTMLElement {
  const text = document.createElement("p");
  text.textContent = description;
  return text;
}

function insert(view: EditorView, completion: Completion, item: CompletionItem, from: number, to: number): void {
  const { stops, insert: text } = item;
  if (stops.length > 1) {
    const indent = indentOf(view.state.doc, from);
    snippet(toTemplate(item, indent))(view, completion, from, to);
  } else {
    const at = from + (stops[0] ?? text.length);
    view.dispatch({
      changes: { from, to, insert: text },
      selection: { anchor: at },
      scrollIntoView: true,
      userEvent: "input.complete",
      annotations: pickedCompletion.of(completion),
    });
  }
  // After a field, offer its values.
  if (item.kind === "field" && stops.length > 0) startCompletion(view);
}

/** Counts the leading spaces of the line at an offset. */
function indentOf(text: Text, at: number): number {
  return /^ */.exec(text.lineAt(at).text)?.[0].length ?? 0;
}

/** Converts an item to a snippet and removes the indentation that CodeMirror adds. */
export function toTemplate({ insert: text, stops }: CompletionItem, indent: number): string {
  let template = "";
  let last = 0;
  for (const stop of stops) {
    template += `${escapeBraces(text.slice(last, stop))}\${}`;
    last = stop;
  }
  template += escapeBraces(text.slice(last));
  return template.replaceAll(`\n${" ".repeat(indent)}`, "\n");
}

function escapeBraces(text: string): string {
  return text.replace(/[{}]/g, "\\$&");
}
