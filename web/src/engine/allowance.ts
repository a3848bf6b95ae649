import type { Scenario } from "../scenario";

/**
 * The total time for the evaluations of one scenario in the page, in ms. The largest real
 * CRDs need a tenth of it.
 */
export const totalTime = 12_000;

/** The least time for an evaluation, in ms. */
const leastTime = 1_500;

/**
 * Divides the time for a scenario between the stages of its result: a preliminary answer
 * and a complete one.
 */
export class Allowance {
  #scenario: Scenario | undefined;
  #left = totalTime;

  /** Returns the time for the next evaluation of a scenario, in ms. */
  for(scenario: Scenario): number {
    if (scenario !== this.#scenario) this.#left = totalTime;
    this.#scenario = scenario;
    return Math.max(this.#left, leastTime);
  }

  /** Deducts the time of a stage, in ms. */
  spend(scenario: Scenario, took: number): void {
    if (scenario === this.#scenario) this.#left -= took;
  }

  /** Gives the scenario all time again, after the last stage. */
  restore(scenario: Scenario): void {
    if (scenario === this.#scenario) this.#left = totalTime;
  }
}
