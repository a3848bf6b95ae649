import { type DocumentName, type PanelName, panelNames } from "../scenario";
import { element } from "../dom";
import { always } from "./documents";

export interface ShortcutActions {
  readonly showDocument: (name: DocumentName) => void;
  readonly showPanel: (name: PanelName) => void;
  readonly goToProblem: (step: 1 | -1) => void;
  readonly fix: () => void;
  readonly share: () => void;
  readonly addDocument: () => void;
  readonly openGallery: () => void;
  readonly format: () => void;
  readonly tryExpression: () => void;
}

/** Binds the keys that the shortcuts dialog lists. */
export function bindShortcuts(actions: ShortcutActions): void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- its successor userAgentData exists in Chromium only
  if (/Mac|iP(hone|ad)/.test(navigator.platform)) nameMacKeys();
  const open = (): void => element("shortcuts", HTMLDialogElement).showModal();
  element("shortcuts-open", HTMLButtonElement).addEventListener("click", open);
  addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    const action = actionOf(event, actions, open);
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function actionOf(
  event: KeyboardEvent,
  actions: ShortcutActions,
  open: () => void,
): (() => void) | undefined {
  if (event.key === "F8") return () => actions.goToProblem(event.shiftKey ? -1 : 1);
  if (event.key === "." && (event.ctrlKey || event.metaKey)) return actions.fix;
  if (event.key === "F1" || (event.key === "?" && !isTyping(event))) return open;
  if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return undefined;
  if (event.code === "KeyS") return actions.share;
  if (event.code === "KeyD") return actions.addDocument;
  if (event.code === "KeyE") return actions.openGallery;
  if (event.code === "KeyF") return actions.format;
  if (event.code === "KeyC") return actions.tryExpression;
  const number = /^Digit(\d)$/.exec(event.code)?.[1];
  return number ? tabAction((Number(number) + 9) % 10, actions) : undefined;
}

function tabAction(index: number, actions: ShortcutActions): (() => void) | undefined {
  const name = always[index];
  if (name) return () => actions.showDocument(name);
  const panel = panelNames[index - always.length];
  return panel && (() => actions.showPanel(panel));
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, select, textarea"))
  );
}

function nameMacKeys(): void {
  for (const keys of document.querySelectorAll("#shortcuts kbd")) {
    keys.textContent = keys.textContent.replaceAll("Ctrl", "Cmd").replaceAll("Alt", "Option");
  }
}
