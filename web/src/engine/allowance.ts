import { documentNames, type Scenario } from "../scenario";

/** The time for the evaluation of a CRD in the page, in ms. The largest real CRDs need a tenth of it. */
export const totalTime = 12_000;

/** The further time for each million characters of the documents, in ms. */
const timePerMillion = 4_000;

/** The further time for the first request to a worker, whose code the browser still compiles, in ms. */
export const coldStart = 8_000;

/** The largest number of CRDs that the engine evaluates, as in internal/bundle. */
const maxCRDs = 16;

/**
 * Returns the time for one evaluation of a scenario, in ms. Each preliminary answer and the complete one have a time
 * of their own, because each evaluates one more CRD of the document. An evaluation of all CRDs at once has the time
 * of all.
 */
export function timeFor(scenario: Scenario, hasAllCRDs: boolean): number {
  const characters = documentNames.reduce((sum, name) => sum + scenario[name].length, 0);
  const crds = scenario.crd.match(/\bkind["']?\s*:\s*["']?CustomResourceDefinition\b/g)?.length ?? 1;
  return totalTime * (hasAllCRDs ? Math.min(crds, maxCRDs) : 1) + (characters / 1e6) * timePerMillion;
}

/** The time between two counts of a meter, in ms. */
export const countEvery = 1_000;

/** The longest time that one count adds, in ms: a suspended machine computes nothing. */
const longestCount = 2 * countEvery;

/** The least part of the time that counts, so that a request ends on every machine. */
const leastShare = 1 / 3;

/**
 * Counts the time that a worker can use, in ms. A page cannot read the processor time of its worker. On a busy machine,
 * a count adds the part of the time for which the page itself has a processor. Therefore, an endless request ends after
 * at most three times its time.
 */
export class Meter {
  readonly #share: () => number;
  #last = 0;
  #total = 0;

  /** share returns the part of the time for which a thread has a processor, 0 to 1. */
  constructor(share: () => number = processorShare) {
    this.#share = share;
  }

  restart(): void {
    this.#last = performance.now();
    this.#total = 0;
  }

  /** Adds the time since the last count and returns the total. */
  count(): number {
    const now = performance.now();
    this.#total += Math.min(now - this.#last, longestCount) * Math.max(this.#share(), leastShare);
    this.#last = now;
    return this.#total;
  }
}

/** The processor time of a measurement, in ms: longer than the system lets a thread compute without a pause. */
const measured = 10;

/** The least pause of a thread between two readings of the clock, in ms. */
const leastPause = 2;

/** The largest number of readings of the clock, which may stop. */
const maxReadings = 100_000;

/** Measures the part of the time for which this thread has a processor, 0 to 1. It computes until then. */
export function processorShare(now = (): number => performance.now()): number {
  const start = now();
  let last = start;
  let own = 0;
  for (let readings = 0; readings < maxReadings && own < measured && last - start < measured / leastShare; readings++) {
    const time = now();
    if (time - last < leastPause) own += time - last;
    last = time;
  }
  // A coarse clock shows no pauses.
  return own === 0 ? 1 : own / (last - start);
}
