import { type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { closeHoverTooltips, EditorView, hoverTooltip, keymap, showTooltip, type Tooltip } from "@codemirror/view";
import type { Completion, Hover, Position } from "../api.gen";
import { offsetOf, positionOf } from "./markers";

/** The assist requests of an editor. */
export interface Writing {
  readonly complete: (position: Position) => Promise<Completion | undefined>;
  readonly hover: (position: Position) => Promise<Hover | undefined>;
}

/** For documents without assistance. */
export const noWriting: Writing = { complete: () => Promise.resolve(undefined), hover: () => Promise.resolve(undefined) };

/** Shows the hover at the pointer, or with F2 at the cursor. */
export function hovers(writing: Writing): Extension {
  return [
    hoverTooltip((view, pos) => findUnpinned(view, pos, writing), { hoverTime: 350, hideOnChange: true }),
    pinned,
    Prec.high(
      keymap.of([
        { key: "F2", run: (view) => pinAtCursor(view, writing) },
        { key: "Escape", run: unpin },
      ]),
    ),
  ];
}

/** Finds the hover at the pointer. One that the keyboard opened takes its place. */
async function findUnpinned(view: EditorView, pos: number, writing: Writing): Promise<Tooltip | null> {
  const tooltip = await find(view, pos, writing);
  return view.state.field(pinned) ? null : tooltip;
}

async function find(view: EditorView, pos: number, writing: Writing): Promise<Tooltip | null> {
  const { doc } = view.state;
  const hover = await writing.hover(positionOf(doc, pos));
  if (!hover || hover.title === "" || view.state.doc !== doc) return null;
  const start = Math.min(offsetOf(doc, hover.range.start), pos);
  return {
    pos: start,
    end: Math.max(offsetOf(doc, hover.range.end), pos),
    above: true,
    create: () => ({ dom: toElement(hover) }),
  };
}

const pin = StateEffect.define<Tooltip | null>();

/** The tooltip that the keyboard opened. */
const pinned = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, transaction) {
    for (const effect of transaction.effects) if (effect.is(pin)) return effect.value;
    return transaction.docChanged || transaction.selection ? null : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

function pinAtCursor(view: EditorView, writing: Writing): boolean {
  const { head } = view.state.selection.main;
  void find(view, head, writing).then((tooltip) => {
    if (!tooltip) return;
    const said = tooltip.create(view).dom.textContent;
    view.dispatch({ effects: [pin.of(tooltip), closeHoverTooltips, EditorView.announce.of(said)] });
  });
  return true;
}

function unpin(view: EditorView): boolean {
  if (!view.state.field(pinned, false)) return false;
  view.dispatch({ effects: pin.of(null) });
  return true;
}

function toElement({ title, type, description, facts }: Hover): HTMLElement {
  const box = element("div", "cm-hover");
  const head = box.appendChild(element("p", "cm-hover-title"));
  head.append(element("strong", "", title));
  if (type !== "") head.append(" ", element("span", "cm-hover-type", type));
  if (description !== "") box.append(element("p", "cm-hover-text", description));
  if (facts.length > 0) {
    const list = box.appendChild(element("dl", "cm-hover-facts"));
    for (const { name, text } of facts) list.append(element("dt", "", name), element("dd", "", text));
  }
  return box;
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.textContent = text;
  return made;
}
