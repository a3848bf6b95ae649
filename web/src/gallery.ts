import { sameScenario, type Scenario } from "./scenario";
import { toScenario } from "./share/codec";

export interface Example {
  readonly id: string;
  /** A sentence or two about the result. */
  readonly note: string;
  readonly scenario: Scenario;
}

/** The examples, fetched on first use. */
export class Gallery {
  readonly #address: string;
  #loading: Promise<readonly Example[]> | undefined;
  #known: readonly Example[];

  /** known is the example that the server put into the page, if any. */
  constructor(address: string, known: Example | undefined) {
    this.#address = address;
    this.#known = known ? [known] : [];
  }

  /** Finds an example by its id. */
  async get(id: string): Promise<Example | undefined> {
    this.#loading ??= this.#load();
    try {
      this.#known = await this.#loading;
    } catch (error) {
      this.#loading = undefined;
      throw error;
    }
    return this.#known.find((example) => example.id === id);
  }

  /** Finds a loaded example with exactly this scenario. */
  find(scenario: Scenario): Example | undefined {
    return this.#known.find((example) => sameScenario(example.scenario, scenario));
  }

  async #load(): Promise<readonly Example[]> {
    const response = await fetch(this.#address);
    if (!response.ok) throw new Error(`the examples' download answered ${response.status}`);
    const entries = (await response.json()) as readonly (Example & { scenario: unknown })[];
    return entries.map(({ id, note, scenario }) => ({ id, note, scenario: toScenario(scenario) }));
  }
}
