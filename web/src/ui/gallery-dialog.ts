import { element } from "../dom";
import type { Gallery } from "../gallery";
import type { Session } from "../session";
import { besideOf, documentOf } from "../start";

/** The dialog with the examples, and the note of the selected example. */
export class GalleryDialog {
  readonly #session: Session;
  readonly #gallery: Gallery;
  readonly #dialog = element("gallery", HTMLDialogElement);
  readonly #search = element("gallery-search", HTMLInputElement);
  /** The groups with their entries, in the order of the gallery. */
  readonly #groups = [...this.#dialog.querySelectorAll<HTMLElement>("[data-group]")].map((group) => ({
    group,
    items: [...group.querySelectorAll<HTMLElement>("li")],
  }));

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
    this.#gallery.load().then(() => this.#search.value !== "" && this.#filter(), () => undefined);
    this.#dialog.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  }

  #entries(): readonly HTMLElement[] {
    return [...this.#dialog.querySelectorAll<HTMLElement>("[data-example]")];
  }

  #shown(): readonly HTMLElement[] {
    return this.#entries().filter((entry) => !entry.closest("[hidden]"));
  }

  /** Shows only the examples that the search finds, the goal with the best one first. */
  #filter(): void {
    const query = this.#search.value.trim();
    const scores = query === "" ? undefined : this.#gallery.search(query);
    const list = this.#dialog.querySelector<HTMLElement>(".gallery-list");
    const groups = this.#groups.map(({ group, items }) => ({ group, score: showFound(group, items, query === "" ? undefined : scores ?? new Map()) }));
    if (scores) groups.sort((a, b) => b.score - a.score);
    for (const { group } of groups) list?.insertBefore(group, element("gallery-none", HTMLElement));
    element("gallery-none", HTMLElement).hidden = this.#shown().length > 0;
    list?.scrollTo({ top: 0 });
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
      const document = documentOf(scenario);
      this.#session.update({ scenario, document, beside: besideOf(document), opened: [], notice: "" });
    } catch (error) {
      this.#session.update({ notice: `The example cannot be loaded: ${String(error)}` });
    }
  }

  #showChosen(): void {
    const { scenario, origin, example } = this.#session.state;
    const chosen = this.#gallery.find(scenario);
    const note = element("example-note", HTMLElement);
    // The note stays while the example is edited, but not without its documents.
    const isEmptied = scenario.crd.trim() === "" || scenario.object.trim() === "";
    if (chosen || origin === "opened" || isEmptied || example?.aside) {
      note.textContent = chosen?.note ?? "";
      note.hidden = !chosen;
    }
    for (const entry of this.#entries()) {
      if (entry.dataset["example"] === chosen?.id) entry.setAttribute("aria-current", "true");
      else entry.removeAttribute("aria-current");
    }
  }
}

/** Shows the entries of a group that have a score, the best first, or all. Returns the best score. */
function showFound(group: HTMLElement, items: readonly HTMLElement[], scores: ReadonlyMap<string, number> | undefined): number {
  const scored = items.map((item) => ({ item, score: scoreOf(item, scores) }));
  for (const { item, score } of scored) item.hidden = score === undefined;
  scored.sort((a, b) => (b.score ?? -1) - (a.score ?? -1));
  group.querySelector("ul")?.append(...scored.map(({ item }) => item));
  group.hidden = items.every(({ hidden }) => hidden);
  return Math.max(...scored.map(({ score }) => score ?? -1));
}

function scoreOf(item: HTMLElement, scores: ReadonlyMap<string, number> | undefined): number | undefined {
  return scores ? scores.get(item.querySelector<HTMLElement>("[data-example]")?.dataset["example"] ?? "") : 0;
}
