import type { Finding } from "../api.gen";

/** Cycles through the findings of an answer, from the first or from the last. */
export class ProblemCursor {
  #findings: readonly Finding[] = [];
  #index = -1;

  next(findings: readonly Finding[], step: 1 | -1): Finding | undefined {
    if (findings !== this.#findings) {
      this.#findings = findings;
      this.#index = step > 0 ? -1 : 0;
    }
    if (findings.length === 0) return undefined;
    this.#index = (this.#index + step + findings.length) % findings.length;
    return findings[this.#index];
  }
}
