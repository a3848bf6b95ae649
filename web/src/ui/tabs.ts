import { write } from "../dom";
/** Tabs after the ARIA practices: one tab is in the tab order, and arrow keys move. */
export class Tabs {
  readonly #all: readonly HTMLElement[];

  /** onClose handles Delete and a click on a tab's data-close element. */
  constructor(name: string, onSelect: (tab: string) => void, onClose?: (tab: string) => void) {
    this.#all = [...document.querySelectorAll<HTMLElement>(`[data-tabs="${name}"] [role=tab]`)];
    for (const tab of this.#all) {
      tab.addEventListener("click", ({ target }) => {
        if (onClose && target instanceof Element && target.closest("[data-close]")) onClose(nameOf(tab));
        else onSelect(nameOf(tab));
      });
      tab.addEventListener("keydown", (event) => {
        if (event.key === "Delete") onClose?.(nameOf(tab));
        const next = this.#neighbour(tab, event.key);
        if (!next) return;
        event.preventDefault();
        onSelect(nameOf(next));
        next.focus();
      });
    }
  }

  /** Shows or hides a tab and its close button. */
  offer(name: string, isThere: boolean, canClose: boolean): void {
    const tab = this.#all.find((candidate) => nameOf(candidate) === name);
    if (!tab) return;
    write(tab, { hidden: !isThere });
    const cross = tab.querySelector<HTMLElement>("[data-close]");
    if (cross) write(cross, { hidden: !canClose });
  }

  /** Shows the panel of a tab and hides the other panels, or the others in a group that are not also shown. */
  show(name: string | undefined, group?: readonly string[], also: readonly string[] = []): void {
    const tabs = group ? this.#all.filter((tab) => group.includes(nameOf(tab))) : this.#all;
    for (const tab of tabs) {
      const selected = nameOf(tab) === name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected || (name === undefined && tab === tabs[0]) ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      if (panel) panel.hidden = !selected && !also.includes(nameOf(tab));
      if (selected) reveal(tab);
    }
  }

  #neighbour(tab: HTMLElement, key: string): HTMLElement | undefined {
    const row = tab.closest("[role=tablist]");
    const tabs = this.#all.filter((other) => !other.hidden && other.closest("[role=tablist]") === row);
    const count = tabs.length;
    const index = tabs.indexOf(tab);
    switch (key) {
      case "ArrowRight":
        return tabs[(index + 1) % count];
      case "ArrowLeft":
        return tabs[(index + count - 1) % count];
      case "Home":
        return tabs[0];
      case "End":
        return tabs[count - 1];
      default:
        return undefined;
    }
  }
}

function nameOf(tab: HTMLElement): string {
  return tab.dataset["tab"] ?? "";
}

/** Scrolls the row of tabs to a tab without scrolling the page, unlike scrollIntoView. */
function reveal(tab: HTMLElement): void {
  const row = tab.closest("[role=tablist]");
  if (!row) return;
  const bounds = row.getBoundingClientRect();
  const { left, right } = tab.getBoundingClientRect();
  if (left < bounds.left) row.scrollLeft += left - bounds.left;
  else if (right > bounds.right) row.scrollLeft += right - bounds.right;
}
