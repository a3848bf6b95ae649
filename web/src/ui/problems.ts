import { type Answer, type Finding, findingsOf } from "../contract";

/** Goes round the findings of an answer, from the first or from the last. */
export class ProblemCursor {
  #answer: Answer | undefined;
  #index = -1;

  next(answer: Answer | undefined, step: 1 | -1): Finding | undefined {
    if (answer !== this.#answer) {
      this.#answer = answer;
      this.#index = step > 0 ? -1 : 0;
    }
    const findings = findingsOf(answer);
    if (findings.length === 0) return undefined;
    this.#index = (this.#index + step + findings.length) % findings.length;
    return findings[this.#index];
  }
}
