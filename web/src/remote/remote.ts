import { emptyScenario, sameScenario, type Scenario } from "../scenario";
import type { Replaced } from "../own";
import type { Session } from "../session";
import { joinDocuments, maxFileSize, sortResources } from "../bundle";
import { documentAddress } from "./address";
import { Unfetched } from "./fetch";
import { changedSince } from "./changed";
import { fetchInWorker } from "./fetch-client";
import { type Fetched, nowhere, type Source } from "./source";

/** Opens documents at addresses. A newer request replaces a pending one. */
export class Remote {
  readonly #session: Session;
  readonly #replaced: Replaced;
  #under = new AbortController();
  /** The source of the session's documents before the request. */
  #opened: Source = nowhere;

  constructor(session: Session, replaced: Replaced) {
    this.#session = session;
    this.#replaced = replaced;
  }

  /** Opens the documents of a link's addresses and nothing else, so that every visitor sees the same. */
  openLink(addresses: string, kubernetes = ""): Promise<boolean> {
    return this.#open(addresses, (texts) => ({ ...emptyScenario, kubernetes, ...texts }), changedSince);
  }

  /** Opens documents beside the present ones, like files. */
  openBeside(address: string): Promise<boolean> {
    return this.#open(address, this.#replaced);
  }

  /** Cancels a pending request and clears a failed one. */
  abandon(): void {
    this.#under.abort();
    if (this.#session.state.source.at !== "fetched") this.#session.update({ source: this.#opened });
  }

  /** Changes nothing before the document has arrived. */
  async #open(address: string, opened: Replaced, compare?: typeof changedSince): Promise<boolean> {
    this.#under.abort();
    const { signal } = (this.#under = new AbortController());
    const { source } = this.#session.state;
    if (source.at === "fetched") this.#opened = source;
    this.#session.update({ source: { at: "fetching", address } });
    try {
      const fetched = await fetchResources(address, signal);
      const since = await compare?.(address, JSON.stringify(fetched.texts));
      if (signal.aborted) return false;
      this.#show(opened(fetched.texts), since === undefined ? fetched : { ...fetched, since });
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

/** The maximum number of addresses in a link. */
const maxAddresses = 20;

/** Fetches the documents at addresses, one on each line. */
async function fetchResources(address: string, abandoned: AbortSignal): Promise<Fetched> {
  const from = address.split("\n").map(documentAddress);
  if (from.length > maxAddresses) throw new Unfetched(`The link has ${from.length} addresses; at most ${maxAddresses} are possible.`);
  const files = await Promise.all(from.map((url) => fetchInWorker(url, abandoned)));
  abandoned.throwIfAborted();
  if (files.reduce((sum, { length }) => sum + length, 0) > maxFileSize) throw new Unfetched(`The files are together larger than ${maxFileSize >> 20} MiB.`);
  const texts = sortResources(files.length > 1 ? joinDocuments(files) : files.join(""));
  if (!texts) throw new Unfetched(`${from.map(({ href }) => href).join(" and ")} contains no Kubernetes object: no document has apiVersion and kind.`);
  return { at: "fetched", address, texts };
}
