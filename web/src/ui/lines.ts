import type { Place } from "./places";

/**
 * Shows the origin and the schema node of an object's line, under the pointer and
 * with the arrow keys. A click or Enter opens the node in the CRD.
 */
export function bindLines(go: (place: Place) => void): void {
  const chip = new Chip(go);
  document.addEventListener("pointerover", ({ target, pointerType }) => {
    const line = pointerType === "mouse" ? lineAt(target) : undefined;
    if (line) chip.show(line);
    else if (!(target instanceof Node && chip.holds(target))) chip.hide();
  });
  document.addEventListener("click", ({ target }) => {
    const line = lineAt(target);
    const isLink = target instanceof Element && target.closest("button") !== null;
    if (line && !isLink && getSelection()?.isCollapsed !== false) chip.follow(line);
  });
  document.addEventListener("focusin", ({ target }) => {
    if (isObject(target) && target.matches(":focus-visible")) chip.step(target, 0);
  });
  document.addEventListener("focusout", ({ target }) => {
    if (isObject(target)) chip.hide();
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!isObject(target) || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[key];
    if (step !== undefined) chip.step(target, step);
    else if (key !== "Enter" || !chip.line) return;
    else chip.follow(chip.line);
    event.preventDefault();
  });
}

/** Marks the lines whose schema node contains a line of the CRD. */
export function markLinesAt(crdLine: number): void {
  let innermost = -1;
  const found: HTMLElement[] = [];
  for (const line of document.querySelectorAll<HTMLElement>(".yaml-line[data-schema]")) {
    const { start, end } = spanOf(line);
    if (crdLine < start.line || crdLine > end || start.line < innermost) continue;
    if (start.line > innermost) found.length = 0;
    innermost = start.line;
    found.push(line);
  }
  for (const line of found) line.classList.add("is-at-cursor");
}

/** The description at the end of a line. */
class Chip {
  readonly #go: (place: Place) => void;
  readonly #button = document.createElement("button");
  readonly #said = document.createElement("p");
  #line: HTMLElement | undefined;

  constructor(go: (place: Place) => void) {
    this.#go = go;
    this.#button.type = "button";
    this.#button.className = "line-chip";
    this.#button.tabIndex = -1;
    this.#button.addEventListener("click", () => this.#line && this.follow(this.#line));
    this.#said.className = "visually-hidden";
    this.#said.setAttribute("role", "status");
    document.body.append(this.#said);
  }

  /** The described line. */
  get line(): HTMLElement | undefined {
    return this.#line?.isConnected ? this.#line : undefined;
  }

  holds(node: Node): boolean {
    return this.#button.contains(node);
  }

  show(line: HTMLElement): void {
    if (line === this.line && this.#button.isConnected) return;
    this.hide();
    this.#line = line;
    line.classList.add("is-told");
    // A note with a CRD line leaves no room for another one.
    const isNoted = line.querySelector(".note[data-crd-line]") !== null;
    this.#button.textContent = isNoted ? (line.dataset["node"] ?? "") : describeLine(line);
    line.append(this.#button);
  }

  hide(): void {
    this.#line?.classList.remove("is-told");
    this.#line = undefined;
    this.#button.remove();
  }

  /** Moves by some lines of an object, or to its first line. */
  step(object: HTMLElement, by: number): void {
    const lines = [...object.querySelectorAll<HTMLElement>(".yaml-line[data-schema]")];
    const at = this.line ? lines.indexOf(this.line) : -1;
    const next = lines[at < 0 ? 0 : Math.min(Math.max(at + by, 0), lines.length - 1)];
    if (!next) return;
    this.show(next);
    this.#said.textContent = `${next.querySelector("code")?.textContent.trim() ?? ""}: ${describeLine(next)}`;
    next.scrollIntoView({ block: "nearest" });
  }

  /** Shows the schema node in the CRD. */
  follow(line: HTMLElement): void {
    const { start, end } = spanOf(line);
    this.#go({ document: "crd", range: { start, end: { line: end, character: 0 } } });
  }
}

function isObject(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.matches(".yaml:has([data-schema])");
}

function lineAt(target: EventTarget | null): HTMLElement | undefined {
  return (target instanceof Element && target.closest<HTMLElement>(".yaml-line[data-schema]")) || undefined;
}

/** Reads the range of a line's schema node: its start and its last line. */
function spanOf({ dataset }: HTMLElement): { readonly start: Place["range"]["start"]; readonly end: number } {
  const [line = 0, character = 0, end = line] = (dataset["schema"] ?? "").split(/[:-]/).map(Number);
  return { start: { line, character }, end };
}

/** Describes a line: "unchanged · properties[spec] · CRD line 12". */
function describeLine(line: HTMLElement): string {
  const node = `${line.dataset["node"] ?? ""} · CRD line ${spanOf(line).start.line + 1}`;
  const made = changeOf(line);
  return made === "" ? node : `${made} · ${node}`;
}

/** Returns the label of the change to a line; empty if the line shows it. */
function changeOf(line: HTMLElement): string {
  const changed = ["is-added", "is-replaced", "is-quiet"].find((name) => line.classList.contains(name));
  if (!changed) return "unchanged";
  for (let at: Element | null = line; at?.classList.contains(changed); at = at.previousElementSibling) {
    const note = at.querySelector<HTMLElement>(".note");
    if (note) return at === line ? "" : (note.dataset["label"] ?? note.textContent);
  }
  return changed === "is-quiet" ? "set by the API server" : "";
}
