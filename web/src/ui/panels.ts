import { Idiomorph } from "idiomorph";

/** What does not depend on the scenario. */
const lasting: ReadonlySet<string> = new Set(["library"]);

/**
 * The places of the page that show parts of an answer. A panel that is not
 * visible takes its new content only when it is shown.
 */
export class Panels {
  readonly #places = new Map<string, HTMLElement>();
  #wanted = new Map<string, string>();
  readonly #shown = new Map<string, string>();
  readonly #onSwap: (names: readonly string[]) => void;

  /** onSwap is called with the names of the panels that have new content. */
  constructor(onSwap: (names: readonly string[]) => void) {
    this.#onSwap = onSwap;
    for (const place of document.querySelectorAll<HTMLElement>("[data-panel]")) {
      this.#places.set(place.dataset["panel"] ?? "", place);
    }
  }

  /** The names of those that are not behind tabs. */
  get standing(): readonly string[] {
    return [...this.#places].filter(([, place]) => !place.closest("[role=tabpanel]")).map(([name]) => name);
  }

  /** Takes the panels of an answer; others stay as they are until they come. */
  show(panels: Readonly<Record<string, string>>): void {
    this.#wanted = new Map(Object.entries(panels));
    this.refresh();
  }

  /** Empties all panels but the lasting ones, and puts a sentence into the tabs'. */
  clear(sentence: string): void {
    for (const [name, place] of this.#places) {
      if (lasting.has(name)) continue;
      this.#wanted.delete(name);
      this.#shown.delete(name);
      place.replaceChildren();
      if (!place.closest("[role=tabpanel]")) continue;
      const paragraph = document.createElement("p");
      paragraph.className = "empty";
      paragraph.textContent = sentence;
      place.append(paragraph);
    }
  }

  /** Brings the visible panels up to date. */
  refresh(): void {
    const swapped: string[] = [];
    for (const [name, html] of this.#wanted) {
      const place = this.#places.get(name);
      if (!place || this.#shown.get(name) === html) continue;
      if (place.closest("[hidden]")) continue;
      swap(place, html);
      this.#shown.set(name, html);
      swapped.push(name);
    }
    if (swapped.length > 0) this.#onSwap(swapped);
  }
}

/**
 * Changes the content of a place into the HTML, which templates made with all
 * texts escaped. Focus, scroll positions and opened details stay.
 */
function swap(place: HTMLElement, html: string): void {
  // It returns a promise only for documents with a head.
  void Idiomorph.morph(place, html, {
    morphStyle: "innerHTML",
    callbacks: {
      beforeAttributeUpdated: (attribute: string, node: Element) =>
        !(attribute === "open" && node instanceof HTMLDetailsElement),
    },
  });
}
