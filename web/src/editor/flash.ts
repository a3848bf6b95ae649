import { type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView } from "@codemirror/view";

const setFlash = StateEffect.define<{ from: number; to: number } | null>();
const flashLine = Decoration.line({ class: "cm-flash" });
const setLinked = StateEffect.define<number | null>();
const linkedLine = Decoration.line({ class: "cm-linked" });

const duration = 1400;

/** The line that belongs to the caret in another document. */
const linked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { changes, effects }) {
    const last = effects.findLast((effect) => effect.is(setLinked));
    if (!last) return lines.map(changes);
    return last.value === null ? Decoration.none : Decoration.set(linkedLine.range(last.value));
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks the line of an offset until the next call, and scrolls to it. The caret stays. */
export function link(view: EditorView, offset: number | undefined): void {
  if (offset === undefined) {
    if (view.state.field(linked).size > 0) view.dispatch({ effects: setLinked.of(null) });
    return;
  }
  view.dispatch({ effects: [setLinked.of(view.state.doc.lineAt(offset).from), EditorView.scrollIntoView(offset, { y: "nearest", yMargin: 60 })] });
}

/** Lines that are highlighted for a moment. */
const flashed = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, transaction) {
    let next = lines.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setFlash)) continue;
      const { value } = effect;
      next = value ? linesOf(transaction.state.doc, value.from, value.to) : Decoration.none;
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The highlighted lines. */
export const flashes: Extension = [flashed, linked];

/** A finding may cover a whole document; its first lines suffice. */
const mostLines = 12;

function linesOf(text: Text, from: number, to: number): DecorationSet {
  const first = text.lineAt(from).number;
  const last = Math.min(text.lineAt(to).number, first + mostLines - 1);
  const ranges = [];
  for (let n = first; n <= last; n++) ranges.push(flashLine.range(text.line(n).from));
  return Decoration.set(ranges);
}

/** The ends of the last highlights, which must not end a newer one. */
const ends = new WeakMap<EditorView, ReturnType<typeof setTimeout>>();

/** Highlights the lines of a range for a moment. */
export function flash(view: EditorView, from: number, to: number): void {
  clearTimeout(ends.get(view));
  view.dispatch({ effects: setFlash.of({ from, to }) });
  ends.set(view, setTimeout(() => view.dispatch({ effects: setFlash.of(null) }), duration));
}
