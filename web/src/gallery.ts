import { type DocumentName, documentNames, sameScenario, type Scenario } from "./scenario";
import { Index } from "./search";
import { toScenario } from "./share/codec";

export interface Example {
  readonly id: string;
  /** A sentence or two about the result. */
  readonly note: string;
  readonly scenario: Scenario;
}

/** An example with the strings that the search finds. */
interface Entry extends Example {
  readonly title: string;
  readonly group: string;
  readonly messages?: string;
  readonly keywords?: string;
}

/** The examples, fetched on first use. */
export class Gallery {
  readonly #address: string;
  #loading: Promise<readonly Example[]> | undefined;
  #known: readonly Example[];
  #index: Index | undefined;

  /** known is the example that the server put into the page, if any. */
  constructor(address: string, known: Example | undefined) {
    this.#address = address;
    this.#known = known ? [known] : [];
  }

  /** Finds an example by its id. */
  async get(id: string): Promise<Example | undefined> {
    await this.load();
    return this.#known.find((example) => example.id === id);
  }

  /** Loads the examples unless they are known. */
  async load(): Promise<void> {
    this.#loading ??= this.#load();
    try {
      this.#known = await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
  }

  /**
   * Returns the scores of the loaded examples with all words of a query in the title, the
   * note, the keys of the documents or the messages; undefined before the examples are loaded.
   */
  search(query: string): ReadonlyMap<string, number> | undefined {
    return this.#index?.search(query);
  }

  /** Finds a loaded example with exactly this scenario. */
  find(scenario: Scenario): Example | undefined {
    return this.#known.find((example) => sameScenario(example.scenario, scenario));
  }

  /** Reports whether source is the document of a loaded example. */
  has(name: DocumentName, text: string): boolean {
    return text !== "" && this.#known.some(({ scenario }) => scenario[name] === text);
  }

  async #load(): Promise<readonly Example[]> {
    const response = await fetch(this.#address);
    if (!response.ok) throw new Error(`the examples' download answered ${response.status}`);
    const entries = (await response.json()) as readonly (Entry & { scenario: unknown })[];
    this.#index = indexOf(entries);
    return entries.map(({ id, note, scenario }) => ({ id, note, scenario: toScenario(scenario) }));
  }
}

function indexOf(entries: readonly (Entry & { scenario: unknown })[]): Index {
  const index = new Index();
  for (const { id, title, group, note, messages, keywords, scenario } of entries) {
    index.add(id, [
      [title, 8],
      [keywords ?? "", 6],
      [note, 4],
      [group, 3],
      [messages ?? "", 2],
      [keysOf(toScenario(scenario)).join(" "), 1],
    ]);
  }
  return index;
}

/** Returns the keys in the documents of a scenario. */
function keysOf(scenario: Scenario): readonly string[] {
  const all = documentNames.map((name) => scenario[name]).join("\n");
  return [...all.matchAll(/[\w./-]+(?=:(?:\s|$))/gmu)].map(([key]) => key);
}
