import { type DocumentName, documentNames, isOneOf } from "../scenario";
import { element } from "../dom";
import type { Session } from "../session";

export interface DocumentMenu {
  open(): void;
}

/** Binds the menu that adds documents and the buttons that fill empty documents. */
export function bindDocumentMenu(session: Session, show: (name: DocumentName) => void): DocumentMenu {
  const button = element("document-add", HTMLButtonElement);
  const menu = element("document-menu", HTMLElement);
  menu.addEventListener("beforetoggle", () => placeBelow(menu, button));
  menu.addEventListener("click", ({ target }) => {
    const name = target instanceof Element && target.closest<HTMLElement>("[data-open]")?.dataset["open"];
    if (!isOneOf(documentNames, name)) return;
    menu.hidePopover();
    show(name);
  });
  menu.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moveFocus(menu, step);
  });
  bindStarters(session, show);
  return {
    open() {
      menu.showPopover();
      moveFocus(menu, 1);
    },
  };
}

/** Places the menu below its button, or higher if it would leave the window. */
export function placeBelow(menu: HTMLElement, button: HTMLElement): void {
  const { left, bottom } = button.getBoundingClientRect();
  const width = Math.min(460, innerWidth - 24);
  menu.style.width = `${width}px`;
  menu.style.maxHeight = `${innerHeight - 24}px`;
  menu.style.left = `${Math.max(12, Math.min(left, innerWidth - width - 12))}px`;
  menu.style.top = `${Math.max(12, Math.min(bottom + 4, innerHeight - heightOf(menu) - 12))}px`;
}

/** Measures a menu that is not shown yet. */
function heightOf(menu: HTMLElement): number {
  menu.style.display = "block";
  const height = menu.offsetHeight;
  menu.style.display = "";
  return height;
}

export function moveFocus(menu: HTMLElement, step: number): void {
  const items = [...menu.querySelectorAll<HTMLElement>("button")];
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}

function bindStarters(session: Session, show: (name: DocumentName) => void): void {
  for (const starter of document.querySelectorAll<HTMLElement>("[data-copy-of]")) {
    starter.addEventListener("click", () => {
      const { copyOf, into } = starter.dataset;
      if (!isOneOf(documentNames, copyOf) || !isOneOf(documentNames, into)) return;
      starter.closest<HTMLElement>("[popover]")?.hidePopover();
      if (session.state.scenario[into] === "") session.edit({ [into]: session.state.scenario[copyOf] });
      show(into);
    });
  }
}
