import { completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, indentMore } from "@codemirror/commands";
import { foldKeymap } from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { type Extension, StateEffect, StateField, Transaction } from "@codemirror/state";
import { type Command, EditorView, keymap } from "@codemirror/view";

/** Marks a transaction as a replacement of the document, in which the user has not typed yet. */
export const replaced = StateEffect.define();

/** The user has typed in the document. */
const typed = StateField.define<boolean>({
  create: () => false,
  update: (before, transaction) => (before || isTyping(transaction)) && !transaction.effects.some((effect) => effect.is(replaced)),
});

/** Lets Tab move the focus until the user has typed. */
function onceTyped(command: Command): Command {
  return (view: EditorView) => view.state.field(typed) && command(view);
}

/** The description of the editors, which a reader of the screen hears. */
export const wayOut = "After typing, Escape and Tab leave the editor.";

/** Shows the way out after Tab, until the next key, click or loss of the focus. */
const showsWayOut: Extension = EditorView.domEventHandlers({
  keyup: ({ key }, { dom }) => {
    if (key === "Tab") dom.dataset["wayOut"] = wayOut;
  },
  keydown: hideWayOut,
  mousedown: hideWayOut,
  blur: hideWayOut,
});

function hideWayOut(_event: Event, { dom }: EditorView): void {
  delete dom.dataset["wayOut"];
}

/** Editing, search and folding by keyboard. Tab leaves an editor until the user has typed in it; then Esc, Tab does. */
export const keys: Extension = [
  history(),
  highlightSelectionMatches(),
  typed,
  showsWayOut,
  keymap.of([
    ...completionKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap,
    { key: "Tab", run: onceTyped(indentMore), shift: onceTyped(indentLess) },
  ]),
];

/** The events of CodeMirror that change a few characters. */
const typingEvents = ["input.type", "delete.backward", "delete.forward"];

/** Reports whether a transaction is the user's typing. */
export function isTyping(transaction: Transaction): boolean {
  // A new line is plain input.
  const isNewLine = transaction.annotation(Transaction.userEvent) === "input";
  return isNewLine || typingEvents.some((event) => transaction.isUserEvent(event));
}
