// The fields of a CRD as a tree, their search, and their places in links.

import type { Field } from "./api.gen";
import { Index } from "./search";

/** The place of a field: a version of the CRD, and the names of the fields from the outermost. */
export interface FieldPlace {
  readonly version: string;
  readonly names: readonly string[];
}

export interface FieldNode {
  readonly field: Field;
  readonly names: readonly string[];
  readonly children: readonly FieldNode[];
}

/** Formats a place for a link: "v1/spec/ports/name". */
export function formatFieldPlace({ version, names }: FieldPlace): string {
  return [version, ...names].map(encodeURIComponent).join("/");
}

/** Parses a place; undefined if it is not one. A version alone is the object's place. */
export function parseFieldPlace(text: string): FieldPlace | undefined {
  try {
    const [version = "", ...names] = text.split("/").map(decodeURIComponent);
    return version === "" ? undefined : { version, names };
  } catch {
    return undefined;
  }
}

export function sameFieldPlace(a: FieldPlace | undefined, b: FieldPlace | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && formatFieldPlace(a) === formatFieldPlace(b));
}

/** Identifies a field within a version. */
export function keyOf(names: readonly string[]): string {
  return names.map(encodeURIComponent).join("/");
}

/** Builds the tree of fields that are listed in depth-first order. Its root is the object. */
export function treeOf(fields: readonly Field[]): FieldNode | undefined {
  const [root, ...others] = fields;
  if (!root) return undefined;
  const tree = { field: root, names: [], children: [] as FieldNode[] };
  const path: { readonly names: readonly string[]; readonly children: FieldNode[] }[] = [tree];
  for (const field of others) {
    path.length = Math.max(1, field.depth);
    const parent = path.at(-1) ?? tree;
    const node = { field, names: [...parent.names, field.name], children: [] as FieldNode[] };
    parent.children.push(node);
    path.push(node);
  }
  return tree;
}

/** Finds the node with the given names below a node. */
export function nodeAt(root: FieldNode, names: readonly string[]): FieldNode | undefined {
  return names.reduce<FieldNode | undefined>((node, name) => node?.children.find(({ field }) => field.name === name), root);
}

/** The result of a search. */
export interface Found {
  /** The number of all matches. */
  readonly total: number;
  /** The keys of the best matches. */
  readonly matches: ReadonlySet<string>;
  /** The keys of the fields that contain a match. */
  readonly ancestors: ReadonlySet<string>;
}

/** The most matches that a search shows. */
const maxMatches = 50;

/** The most characters of a description that the search considers. */
const maxIndexed = 400;

/** Searches a tree; the index is built at the first search. */
export class FieldSearch {
  readonly #root: FieldNode;
  #index: Index | undefined;
  readonly #nodes = new Map<string, FieldNode>();

  constructor(root: FieldNode) {
    this.#root = root;
  }

  search(query: string): Found {
    this.#index ??= this.#build();
    const scores = [...this.#index.search(query)].sort(([, a], [, b]) => b - a);
    const matches = new Set(scores.slice(0, maxMatches).map(([key]) => key));
    const ancestors = new Set<string>();
    for (const key of matches) {
      const names = this.#nodes.get(key)?.names ?? [];
      for (let length = 1; length < names.length; length++) ancestors.add(keyOf(names.slice(0, length)));
    }
    return { total: scores.length, matches, ancestors };
  }

  #build(): Index {
    const index = new Index();
    const add = (node: FieldNode): void => {
      const { field, names, children } = node;
      const key = keyOf(names);
      this.#nodes.set(key, node);
      index.add(key, [
        [field.name, 8],
        [names.slice(0, -1).join(" "), 3],
        [field.facts.map(({ name, text }) => `${name} ${text}`).join(" "), 2],
        [field.rules.map(({ rule, message }) => `${rule} ${message}`).join(" "), 2],
        [field.description.slice(0, maxIndexed), 1],
      ]);
      children.forEach(add);
    };
    this.#root.children.forEach(add);
    return index;
  }
}
