import { type FieldNode, type Found, keyOf } from "../fields";
import { button, count, make } from "./elements";
import { lineOf } from "./field-row";

/** The most fields of a level that are rendered at once. */
const maxSiblings = 200;

export interface FieldTreeOptions {
  readonly place: HTMLElement;
  /** The keys of the fields that are open at first. */
  readonly open?: readonly string[];
  /** Renders the details of a field. */
  readonly details: (node: FieldNode) => HTMLElement;
  /** Receives the field that the user opened, or undefined if the user closed one. */
  readonly choose: (node: FieldNode | undefined) => void;
}

/**
 * A tree of fields. Each field is a details element, whose content is rendered when it is
 * first opened. The arrow keys work as in the ARIA practices for trees.
 */
export class FieldTreeView {
  readonly #options: FieldTreeOptions;
  /** The keys of the open fields. */
  readonly #open: Set<string>;
  #root: FieldNode | undefined;
  #found: Found | undefined;

  constructor(options: FieldTreeOptions) {
    this.#options = options;
    this.#open = new Set(options.open);
    options.place.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Renders the fields of a tree, or only the result of a search. The open fields stay open. */
  show(root: FieldNode | undefined, found: Found | undefined): void {
    const focused = this.#focusedKey();
    this.#root = root;
    this.#found = found;
    this.#options.place.replaceChildren(...(root ? this.#all(root) : []));
    if (focused !== undefined) this.#lineAt(focused)?.focus();
  }

  /** Opens all fields, and returns the function that closes the ones that were closed. */
  openAll(): () => void {
    const open = [...this.#open];
    const all = (node: FieldNode): void => {
      this.#open.add(keyOf(node.names));
      node.children.forEach(all);
    };
    if (this.#root) all(this.#root);
    this.show(this.#root, this.#found);
    return () => {
      this.#open.clear();
      for (const key of open) this.#open.add(key);
      this.show(this.#root, this.#found);
    };
  }

  isOpen(names: readonly string[]): boolean {
    return this.#open.has(keyOf(names));
  }

  /** Opens a field and the fields around it, and scrolls to it. */
  reveal(names: readonly string[]): void {
    for (let length = Math.min(1, names.length); length <= names.length; length++) this.#open.add(keyOf(names.slice(0, length)));
    this.show(this.#root, undefined);
    const line = this.#lineAt(keyOf(names));
    line?.scrollIntoView({ block: "start" });
    line?.classList.add("is-sought");
  }

  /** Marks the chosen field. */
  mark(names: readonly string[] | undefined): void {
    for (const line of this.#options.place.querySelectorAll("[aria-current]")) line.removeAttribute("aria-current");
    if (names) this.#lineAt(keyOf(names))?.setAttribute("aria-current", "true");
  }

  /** Renders the object itself, unless a search hides it, and its fields. */
  #all(root: FieldNode): readonly HTMLElement[] {
    const itself = this.#found ? [] : [this.#item({ ...root, children: [] })];
    return [...itself, ...this.#itemsOf(root)];
  }

  #itemsOf(parent: FieldNode): readonly HTMLElement[] {
    return this.#page(this.#shownIn(parent), 0);
  }

  /** Returns the shown fields of a value: the result of a search, or all below a match. */
  #shownIn({ names, children }: FieldNode): readonly FieldNode[] {
    const found = this.#found;
    if (!found || (names.length > 0 && !found.ancestors.has(keyOf(names)))) return children;
    return children.filter((child) => found.matches.has(keyOf(child.names)) || found.ancestors.has(keyOf(child.names)));
  }

  /** Renders some siblings, including all open ones, and a button for the others. */
  #page(nodes: readonly FieldNode[], from: number): readonly HTMLElement[] {
    const to = Math.max(from + maxSiblings, 1 + nodes.findLastIndex(({ names }) => this.#open.has(keyOf(names))));
    const items = nodes.slice(from, to).map((node) => this.#item(node));
    const rest = nodes.length - to;
    if (rest <= 0) return items;
    const more = make("li", "field-more");
    more.append(button("button", `Show ${count(Math.min(rest, maxSiblings), "more field")}`, () => {
      const next = this.#page(nodes, to);
      more.replaceWith(...next);
      next[0]?.querySelector("summary")?.focus();
    }));
    return [...items, more];
  }

  #item(node: FieldNode): HTMLElement {
    const key = keyOf(node.names);
    const item = make("li", this.#found?.matches.has(key) ? "is-found" : "");
    const details = document.createElement("details");
    const line = lineOf(node);
    line.dataset["key"] = key;
    details.append(line);
    // The event "toggle" comes too late for the next key, and also follows from rendering an open field.
    line.addEventListener("click", () => {
      if (!details.open) this.#fill(details, node);
      this.#toggled(node, !details.open);
    });
    if (this.#found?.ancestors.has(key)) {
      details.append(this.#listOf(node));
      details.open = true;
    } else if (this.#open.has(key)) {
      this.#fill(details, node);
      details.open = true;
    }
    item.append(details);
    return item;
  }

  /** Renders the content of a field when it is first opened. A search opens fields without their details. */
  #fill(details: HTMLDetailsElement, node: FieldNode): void {
    if (details.querySelector(":scope > .field-body")) return;
    const list = details.querySelector(":scope > .field-list") ?? (node.children.length > 0 && this.#listOf(node));
    details.append(this.#options.details(node));
    if (list) details.append(list);
  }

  #listOf(node: FieldNode): HTMLElement {
    const list = make("ul", "field-list");
    list.append(...this.#itemsOf(node));
    return list;
  }

  #toggled(node: FieldNode, isOpen: boolean): void {
    if (isOpen) this.#open.add(keyOf(node.names));
    else this.#open.delete(keyOf(node.names));
    this.#options.choose(isOpen ? node : undefined);
  }

  #move(event: KeyboardEvent): void {
    const { target } = event;
    if (!(target instanceof HTMLElement) || !target.matches("summary") || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = this.#follow(target, event.key);
    if (next === undefined) return;
    event.preventDefault();
    next?.focus();
  }

  /** Returns the line to focus after a key; null for no other line, undefined for other keys. */
  #follow(line: HTMLElement, key: string): HTMLElement | null | undefined {
    const lines = this.#lines();
    const at = lines.indexOf(line);
    const details = line.closest("details");
    switch (key) {
      case "ArrowDown":
        return lines[at + 1] ?? null;
      case "ArrowUp":
        return lines[at - 1] ?? null;
      case "Home":
        return lines[0] ?? null;
      case "End":
        return lines.at(-1) ?? null;
      case "ArrowRight":
        if (details?.open) return details.querySelector<HTMLElement>(":scope > .field-list summary");
        line.click();
        return null;
      case "ArrowLeft":
        if (!details?.open) return details?.parentElement?.closest("details")?.querySelector("summary") ?? null;
        line.click();
        return null;
      default:
        return undefined;
    }
  }

  /** The lines that are not within a closed field. */
  #lines(): readonly HTMLElement[] {
    return [...this.#options.place.querySelectorAll<HTMLElement>("summary")].filter((line) => !line.closest("details")?.parentElement?.closest("details:not([open])"));
  }

  #focusedKey(): string | undefined {
    const focused = document.activeElement;
    return focused instanceof HTMLElement && this.#options.place.contains(focused) ? focused.dataset["key"] : undefined;
  }

  #lineAt(key: string): HTMLElement | undefined {
    return this.#options.place.querySelector<HTMLElement>(`summary[data-key="${CSS.escape(key)}"]`) ?? undefined;
  }
}
