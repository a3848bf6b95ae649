import { emptyScenario, sameScenario, type Scenario } from "../scenario";
import type { Session } from "../session";
import { sortResources } from "../ui/bundle";
import { documentAddress } from "./address";
import { Unfetched } from "./fetch";
import { fetchInWorker } from "./fetch-client";
import { type Fetched, nowhere, type Source } from "./source";

/** Opens documents at addresses. A newer request replaces a pending one. */
export class Remote {
  readonly #session: Session;
  #under = new AbortController();
  /** The source of the session's documents before the request. */
  #opened: Source = nowhere;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Opens a link's documents and nothing else, so that every visitor sees the same. */
  openLink(address: string): Promise<boolean> {
    return this.#open(address, () => emptyScenario);
  }

  /** Opens documents beside the present ones, like files. */
  openBeside(address: string): Promise<boolean> {
    return this.#open(address, () => this.#session.state.scenario);
  }

  /** Cancels a pending request and clears a failed one. */
  abandon(): void {
    this.#under.abort();
    if (this.#session.state.source.at !== "fetched") this.#session.update({ source: this.#opened });
  }

  /** Changes nothing before the document has arrived. */
  async #open(address: string, others: () => Scenario): Promise<boolean> {
    this.#under.abort();
    const { signal } = (this.#under = new AbortController());
    const { source } = this.#session.state;
    if (source.at === "fetched") this.#opened = source;
    this.#session.update({ source: { at: "fetching", address } });
    try {
      const fetched = await fetchResources(address, signal);
      this.#show({ ...others(), ...fetched.texts }, fetched);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const problem = error instanceof Error ? error.message : String(error);
      this.#session.update({ source: { at: "failed", problem, scenario: this.#session.state.scenario } });
      return false;
    }
  }

  #show(scenario: Scenario, source: Fetched): void {
    const isShown = sameScenario(scenario, this.#session.state.scenario);
    const document = source.texts.object === undefined ? "crd" : "object";
    this.#session.update(isShown ? { source } : { scenario, source, document, opened: [], notice: "" });
  }
}

async function fetchResources(address: string, abandoned: AbortSignal): Promise<Fetched> {
  const from = documentAddress(address);
  const texts = sortResources(await fetchInWorker(from, abandoned));
  abandoned.throwIfAborted();
  if (!texts) throw new Unfetched(`${from.href} contains no Kubernetes object: no document has apiVersion and kind.`);
  return { at: "fetched", address, texts };
}
