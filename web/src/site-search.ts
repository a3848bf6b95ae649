// The search in the documents and errors. Its index is a file of its own, which the first key
// press loads.

interface Entry {
  readonly path: string;
  readonly title: string;
  readonly section?: string;
  readonly text: string;
}

/** Limits the entries that a search shows. */
const maxFound = 12;

/** Shows the search field, and the entries that match it as links. */
export function bindDocumentSearch(field: HTMLInputElement): void {
  const found = document.querySelector<HTMLElement>("#found");
  const nothing = document.querySelector<HTMLElement>("#nothing");
  if (!found || !nothing) return;
  const root = field.dataset["root"] ?? "";
  let index: Promise<readonly Entry[] | undefined> | undefined;
  const show = async (): Promise<void> => {
    const query = field.value;
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    index ??= load<readonly Entry[]>(field.dataset["index"] ?? "");
    const all = await index;
    if (!all) index = undefined; // The next key tries again.
    const entries = best(all ?? [], words);
    if (field.value !== query) return;
    nothing.textContent = all ? "Nothing found." : "The search needs the server, which does not answer.";
    found.replaceChildren(...entries.map((entry) => item(entry, root, words[0] ?? "")));
    found.hidden = entries.length === 0;
    nothing.hidden = entries.length > 0 || words.length === 0;
  };
  field.addEventListener("input", () => void show());
  field.parentElement?.removeAttribute("hidden");
}

/** Returns the index at an address; undefined if the server does not answer. */
export async function load<Index>(address: string): Promise<Index | undefined> {
  try {
    const response = await fetch(address);
    return response.ok ? ((await response.json()) as Index) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the entries with all words; without words, an empty list. Entries with a word in their titles are first. */
function best(entries: readonly Entry[], words: readonly string[]): readonly Entry[] {
  const has = (text: string, word: string): boolean => text.toLowerCase().includes(word);
  const score = (entry: Entry): number => words.filter((word) => has(entry.section ?? entry.title, word)).length;
  return entries
    .filter((entry) => words.length > 0 && words.every((word) => has(`${entry.title} ${entry.section ?? ""} ${entry.text}`, word)))
    .sort((a, b) => score(b) - score(a)).slice(0, maxFound);
}

/** Returns a link to an entry with the words around a match. */
function item(entry: Entry, root: string, word: string): HTMLElement {
  const [li, link, text] = [document.createElement("li"), document.createElement("a"), document.createElement("small")];
  const at = entry.text.lastIndexOf(" ", entry.text.toLowerCase().indexOf(word) - 40) + 1;
  text.textContent = (at > 0 ? "… " : "") + entry.text.slice(at, at + 140).replace(/\S*$/, "…");
  link.href = root + entry.path;
  link.append(entry.section ? `${entry.title} › ${entry.section}` : entry.title, text);
  li.append(link);
  return li;
}
