import { emptyScenario, sameScenario, type Scenario } from "../scenario";
import type { Session } from "../session";
import { sortResources } from "../ui/bundle";
import { documentAddress } from "./address";
import { fetchText, Unfetched } from "./fetch";
import { type Fetched, nowhere, type Source } from "./source";

/** Opens what stands at addresses. Of several only the last is opened. */
export class Remote {
  readonly #session: Session;
  #under = new AbortController();
  /** What the session's documents came from before that. */
  #opened: Source = nowhere;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Opens what a link names: its documents and nothing else, so that everybody sees the same. */
  openLink(address: string): Promise<boolean> {
    return this.#open(address, () => emptyScenario);
  }

  /** Opens documents beside those that are there, as files are opened. */
  openBeside(address: string): Promise<boolean> {
    return this.#open(address, () => this.#session.state.scenario);
  }

  /** Gives up what is being fetched, and forgets what could not be. */
  abandon(): void {
    this.#under.abort();
    if (this.#session.state.source.at !== "fetched") this.#session.update({ source: this.#opened });
  }

  /** Until the document is there, and if it does not come, all stays as it is. */
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
  const texts = sortResources(await fetchText(from, abandoned));
  abandoned.throwIfAborted();
  if (!texts) throw new Unfetched(`${from.href} holds no Kubernetes object: none of its documents has an apiVersion and a kind.`);
  return { at: "fetched", address, texts };
}
