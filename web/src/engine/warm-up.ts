import type { View } from "../api.gen";

/** The total time for repetitions, in ms. Slow machines optimize enough code for the next visit in it, too. */
const length = 6_000;
/** The idle time before the first repetition, in ms. */
const pause = 300;
/** Larger documents, in characters, are not repeated: a keystroke waits for a running repetition. */
const maxCharacters = 50_000;
/** Every fourth repetition changes the CRD, because changed CRDs are slower. */
const everyCRD = 4;

/**
 * Repeats the last evaluation while the engine is idle. Browsers optimize code after some
 * dozens of runs; the repetitions reach that point before the user types. Browsers also keep
 * optimized code for the next visit, once there is enough of it.
 */
export class WarmUp {
  readonly #evaluate: (view: View) => void;
  #left = length;
  #arePermitted = true;
  #runs = 0;
  #next: ReturnType<typeof setTimeout> | undefined;

  constructor(evaluate: (view: View) => void) {
    this.#evaluate = evaluate;
  }

  /** Schedules repetitions of a view. */
  follow(view: View): void {
    this.stop();
    if (this.#arePermitted && charactersAround(view) <= maxCharacters) this.#schedule(view, pause);
  }

  /** Permits repetitions after the next request, or stops them: neither a hidden page nor a low battery pays for them. */
  permit(arePermitted: boolean): void {
    this.#arePermitted = arePermitted;
    if (!arePermitted) this.stop();
  }

  /** Stops the repetitions in favour of a request. */
  stop(): void {
    clearTimeout(this.#next);
  }

  #schedule(view: View, delay: number): void {
    if (this.#left > 0) this.#next = setTimeout(() => this.#repeat(view), delay);
  }

  #repeat(view: View): void {
    const start = performance.now();
    const crd = view.scenario.crd;
    const isOther = this.#runs++ % everyCRD === 0 && crd.length <= maxCharacters;
    this.#evaluate(isOther ? withCRD(view, `${crd}\n# ${this.#runs}`) : view);
    this.#left -= performance.now() - start;
    this.#schedule(view, 0);
  }
}

/** Counts the characters of all documents except the CRD, which is cached. */
function charactersAround({ scenario: { crd: _, ...others } }: View): number {
  const texts = Object.values(others).filter((value) => typeof value === "string");
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function withCRD(view: View, crd: string): View {
  return { ...view, scenario: { ...view.scenario, crd } };
}
