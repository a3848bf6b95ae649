// Search over the examples, tolerant of typos.

/** The words of a document of the index, with their weight. */
export type Words = ReadonlyMap<string, number>;

/** One in so many words of a long query may be missing. */
const mayMiss = 4;

/** Splits a string into lower-case words; a word in camel case also counts as its parts. */
export function wordsOf(text: string): readonly string[] {
  const parts = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return [...`${text} ${parts}`.toLowerCase().matchAll(/[\p{L}\d]+/gu)].map(([word]) => word);
}

/** An index of documents by their words. */
export class Index {
  /** The ids and weights of the documents with each word. */
  readonly #documents = new Map<string, Map<string, number>>();
  readonly #ids: string[] = [];

  /** Adds a document with its fields, each with a weight. */
  add(id: string, fields: readonly (readonly [text: string, weight: number])[]): void {
    this.#ids.push(id);
    for (const [text, weight] of fields) {
      for (const word of wordsOf(text)) {
        const known = this.#documents.get(word) ?? new Map<string, number>();
        known.set(id, Math.max(known.get(id) ?? 0, weight));
        this.#documents.set(word, known);
      }
    }
  }

  /**
   * Returns the scores of the documents with all words of a query. A word also matches the
   * start of a longer word and, with a lower score, a word with few other letters. If no document
   * has all words of a long query, such as an error message, those with the most words are found.
   */
  search(query: string): ReadonlyMap<string, number> {
    const words = new Set([...query.toLowerCase().matchAll(/[\p{L}\d]+/gu)].map(([word]) => word));
    const found = new Map(this.#ids.map((id) => [id, { score: 0, words: 0 }]));
    for (const word of words) {
      for (const [id, more] of this.#scores(word)) {
        const document = found.get(id);
        if (!document) continue;
        document.score += more;
        document.words++;
      }
    }
    const most = Math.max(0, ...[...found.values()].map((document) => document.words));
    if (most < words.size - Math.trunc((words.size - 1) / mayMiss)) return new Map();
    return new Map([...found].flatMap(([id, { score, words: has }]) => has === most ? [[id, score] as const] : []));
  }

  #scores(word: string): ReadonlyMap<string, number> {
    const scores = new Map<string, number>();
    for (const [candidate, documents] of this.#documents) {
      const quality = qualityOf(word, candidate);
      if (quality === 0) continue;
      for (const [id, weight] of documents) scores.set(id, Math.max(scores.get(id) ?? 0, weight * quality));
    }
    return scores;
  }
}

/** Rates a match from 0, no match, to 1, the same word. */
function qualityOf(word: string, candidate: string): number {
  if (candidate === word) return 1;
  if (candidate.startsWith(word)) return 0.8;
  if (word.length >= 4 && candidate.includes(word)) return 0.5;
  const typos = typosIn(word);
  if (typos === 0 || Math.abs(candidate.length - word.length) > typos) return 0;
  return distance(word, candidate, typos) <= typos ? 0.3 : 0;
}

function typosIn(word: string): number {
  if (word.length < 4) return 0;
  return word.length < 8 ? 1 : 2;
}

/** Returns the number of edits between words, including swapped neighbours; above max it is not exact. */
function distance(a: string, b: string, max: number): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      next.push(cost);
    }
    if (Math.min(...next) > max) return max + 1;
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
