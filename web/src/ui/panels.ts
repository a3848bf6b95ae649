import { Idiomorph } from "idiomorph";
import { parseRendered } from "../trusted";

/** The panels that do not depend on the scenario. */
const lasting: ReadonlySet<string> = new Set(["library"]);

/**
 * The places of the page that show parts of an answer. A hidden panel is updated
 * only when it is shown.
 */
export class Panels {
  readonly #places = new Map<string, HTMLElement>();
  #wanted = new Map<string, string>();
  readonly #shown = new Map<string, string>();
  #held: readonly string[] = [];
  readonly #onSwap: (names: readonly string[]) => void;

  /** onSwap receives the names of the panels with new content. */
  constructor(onSwap: (names: readonly string[]) => void) {
    this.#onSwap = onSwap;
    for (const place of document.querySelectorAll<HTMLElement>("[data-panel]")) {
      this.#places.set(place.dataset["panel"] ?? "", place);
    }
  }

  /** The names of the panels without a tab. */
  get standing(): readonly string[] {
    return [...this.#places].filter(([, place]) => !place.closest("[role=tabpanel]")).map(([name]) => name);
  }

  /** Shows the panels of an answer; other panels keep their content. */
  show(panels: Readonly<Record<string, string>>): void {
    this.#wanted = new Map(Object.entries(panels));
    this.refresh();
  }

  /** Shows the panels without a tab; those with a tab keep their content, unless they are empty. */
  showStanding(panels: Readonly<Record<string, string>>): void {
    const { standing } = this;
    const kept = (name: string): boolean => this.#shown.has(name) && !standing.includes(name);
    this.#wanted = new Map(Object.entries(panels).filter(([name]) => !kept(name)));
    this.refresh();
  }

  /** Empties all panels except the lasting ones, and shows a sentence in the tabs' panels. */
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

  /** Keeps the content of panels until the next call. */
  hold(names: readonly string[]): void {
    this.#held = names;
    this.refresh();
  }

  /** Reports whether a panel with content keeps it, although there is newer content. */
  waits(name: string): boolean {
    return this.#held.includes(name) && this.#shown.has(name) && this.#differs(name);
  }

  #differs(name: string): boolean {
    return this.#wanted.has(name) && this.#wanted.get(name) !== this.#shown.get(name);
  }

  /** Updates the visible panels. */
  refresh(): void {
    const swapped: string[] = [];
    for (const [name, html] of this.#wanted) {
      const place = this.#places.get(name);
      if (!place || !this.#differs(name) || this.waits(name)) continue;
      if (place.closest("[hidden]")) continue;
      swap(place, html);
      this.#shown.set(name, html);
      swapped.push(name);
    }
    if (swapped.length > 0) this.#onSwap(swapped);
  }
}

/**
 * Morphs the content of a place into HTML from the templates, which escape all
 * strings. Focus, scroll positions and opened details stay.
 */
function swap(place: HTMLElement, html: string): void {
  // It returns a promise only for documents with a head.
  void Idiomorph.morph(place, parseRendered(html), {
    morphStyle: "innerHTML",
    callbacks: {
      beforeAttributeUpdated: (attribute: string, node: Element) =>
        !(attribute === "open" && node instanceof HTMLDetailsElement),
    },
  });
}
