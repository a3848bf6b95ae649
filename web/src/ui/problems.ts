import type { Finding, Range } from "../api.gen";
import { element } from "../dom";

/** A mistake in a document, or a finding. */
export interface Problem {
  readonly document: string;
  readonly range: Range;
  readonly severity: Finding["severity"];
}

/** The severities in the order in which users mend problems. */
const severities: readonly Finding["severity"][] = ["error", "warning", "info"];

/** Cycles through lists of problems, from the first or from the last: errors, then warnings, then notes. */
export class ProblemCursor {
  #lists: readonly (readonly object[])[] = [];
  #index = -1;

  /** Returns the next problem. The cycle begins again with other lists. */
  next(lists: readonly (readonly Problem[])[], step: 1 | -1): Problem | undefined {
    if (lists.some((list, i) => list !== this.#lists[i])) {
      this.#lists = lists;
      this.#index = step > 0 ? -1 : 0;
    }
    const all = severities.flatMap((severity) => lists.flatMap((list) => list.filter((problem) => problem.severity === severity)));
    if (all.length === 0) return undefined;
    this.#index = (this.#index + step + all.length) % all.length;
    return all[this.#index];
  }
}

/** Keeps a problem that the user unfolds in sight. */
export function bindProblems(): void {
  element("problems", HTMLElement).addEventListener("toggle", ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open) target.closest(".problem")?.scrollIntoView({ block: "start" });
  }, true);
}
