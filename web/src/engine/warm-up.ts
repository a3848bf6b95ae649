import type { View } from "../api";

/** How long evaluations are repeated in all, in ms. */
const length = 1_500;
/** How long nothing must have been asked before that, in ms. */
const pause = 300;
/** What is typed waits for the repetition that runs, so what takes longer, in ms, is spared. */
const bearable = 1_000;
/** Likewise, in characters: what is not known yet takes longer. */
const light = 50_000;
/** Each so-manieth repetition is of a CRD that was changed: those take longer. */
const everyCRD = 4;

/**
 * Repeats the last evaluation while nothing is asked. A browser compiles what
 * runs often once more, and well, which takes it some dozens of evaluations: they
 * are over before somebody types, who would feel them.
 */
export class WarmUp {
  readonly #evaluate: (view: View) => void;
  #left = length;
  #runs = 0;
  #next: ReturnType<typeof setTimeout> | undefined;

  constructor(evaluate: (view: View) => void) {
    this.#evaluate = evaluate;
  }

  /** Goes on, with what was just evaluated in so many ms, once nothing was asked for a while. */
  follow(view: View, took: number): void {
    this.stop();
    if (took <= bearable && charactersAround(view) <= light) this.#schedule(view, pause);
  }

  /** Lets what is asked go first. */
  stop(): void {
    clearTimeout(this.#next);
  }

  #schedule(view: View, delay: number): void {
    if (this.#left > 0) this.#next = setTimeout(() => this.#repeat(view), delay);
  }

  #repeat(view: View): void {
    const start = performance.now();
    const crd = view.scenario.crd;
    const isOther = this.#runs++ % everyCRD === 0 && crd.length <= light;
    this.#evaluate(isOther ? withCRD(view, `${crd}\n# ${this.#runs}`) : view);
    this.#left -= performance.now() - start;
    this.#schedule(view, 0);
  }
}

/** How long the texts are, less the CRD, which the engine knows by now. */
function charactersAround({ scenario: { crd: _, ...others } }: View): number {
  const texts = Object.values(others).filter((value) => typeof value === "string");
  return texts.reduce((sum, text) => sum + text.length, 0);
}

function withCRD(view: View, crd: string): View {
  return { ...view, scenario: { ...view.scenario, crd } };
}
