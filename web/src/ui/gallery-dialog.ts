import { element } from "../dom";
import type { Gallery } from "../gallery";
import type { Session } from "../session";
import { documentOf } from "../start";

/** The dialog with the examples, and the note of the selected example. */
export class GalleryDialog {
  readonly #session: Session;
  readonly #gallery: Gallery;
  readonly #dialog = element("gallery", HTMLDialogElement);
  readonly #search = element("gallery-search", HTMLInputElement);

  constructor(session: Session, gallery: Gallery) {
    this.#session = session;
    this.#gallery = gallery;
    element("gallery-open", HTMLButtonElement).addEventListener("click", () => this.open());
    this.#search.addEventListener("input", () => this.#filter());
    this.#search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#shown()[0]?.click();
    });
    this.#dialog.addEventListener("keydown", (event) => this.#move(event));
    for (const entry of this.#entries()) {
      entry.addEventListener("click", () => void this.#choose(entry.dataset["example"] ?? ""));
    }
    this.#showChosen();
    session.subscribe((state, previous) => {
      if (state.scenario !== previous.scenario) this.#showChosen();
    });
  }

  open(): void {
    this.#search.value = "";
    this.#filter();
    this.#dialog.showModal();
    this.#search.focus();
    this.#dialog.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  #entries(): readonly HTMLElement[] {
    return [...this.#dialog.querySelectorAll<HTMLElement>("[data-example]")];
  }

  #shown(): readonly HTMLElement[] {
    return this.#entries().filter((entry) => !entry.closest("[hidden]"));
  }

  /** Shows only the examples that contain all words of the search. */
  #filter(): void {
    const words = this.#search.value.toLowerCase().split(/\s+/);
    for (const group of this.#dialog.querySelectorAll<HTMLElement>("[data-group]")) {
      const name = group.dataset["group"] ?? "";
      const items = [...group.querySelectorAll<HTMLElement>("li")];
      for (const item of items) {
        const text = `${name} ${item.textContent}`.toLowerCase();
        item.hidden = !words.every((word) => text.includes(word));
      }
      group.hidden = items.every(({ hidden }) => hidden);
    }
    element("gallery-none", HTMLElement).hidden = this.#shown().length > 0;
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const shown = this.#shown();
    const at = shown.findIndex((entry) => entry === document.activeElement) + step;
    if (at < 0) this.#search.focus();
    else shown[Math.min(at, shown.length - 1)]?.focus();
  }

  async #choose(id: string): Promise<void> {
    this.#dialog.close();
    try {
      const chosen = await this.#gallery.get(id);
      if (!chosen) return;
      const { scenario } = chosen;
      this.#session.update({ scenario, document: documentOf(scenario), opened: [], notice: "" });
    } catch (error) {
      this.#session.update({ notice: `The example cannot be loaded: ${String(error)}` });
    }
  }

  #showChosen(): void {
    const chosen = this.#gallery.find(this.#session.state.scenario);
    const note = element("example-note", HTMLElement);
    note.textContent = chosen?.note ?? "";
    note.hidden = !chosen;
    for (const entry of this.#entries()) {
      if (entry.dataset["example"] === chosen?.id) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    }
  }
}
