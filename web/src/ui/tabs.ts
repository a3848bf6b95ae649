/** Tabs as the ARIA practices describe them: one is in the tab order, arrows move. */
export class Tabs {
  readonly #tabs: readonly HTMLElement[];

  constructor(name: string, onSelect: (tab: string) => void) {
    this.#tabs = [...document.querySelectorAll<HTMLElement>(`[data-tabs="${name}"] [role=tab]`)];
    for (const tab of this.#tabs) {
      tab.addEventListener("click", () => onSelect(nameOf(tab)));
      tab.addEventListener("keydown", (event) => {
        const next = this.#neighbour(tab, event.key);
        if (!next) return;
        event.preventDefault();
        onSelect(nameOf(next));
        next.focus();
      });
    }
  }

  /** Shows the panel of a tab and hides the others. */
  show(name: string): void {
    for (const tab of this.#tabs) {
      const selected = nameOf(tab) === name;
      tab.setAttribute("aria-selected", String(selected));
      tab.tabIndex = selected ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      if (panel) panel.hidden = !selected;
      if (selected) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
  }

  #neighbour(tab: HTMLElement, key: string): HTMLElement | undefined {
    const count = this.#tabs.length;
    const index = this.#tabs.indexOf(tab);
    switch (key) {
      case "ArrowRight":
        return this.#tabs[(index + 1) % count];
      case "ArrowLeft":
        return this.#tabs[(index + count - 1) % count];
      case "Home":
        return this.#tabs[0];
      case "End":
        return this.#tabs[count - 1];
      default:
        return undefined;
    }
  }
}

function nameOf(tab: HTMLElement): string {
  return tab.dataset["tab"] ?? "";
}
