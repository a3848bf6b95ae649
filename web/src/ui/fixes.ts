import type { Fix, Position } from "../api.gen";
import type { Session } from "../session";
import type { Problem } from "./problems";

/** The buttons of quick fixes, and the key for the fix at the caret. */
export class Fixes {
  readonly #session: Session;
  /** The problem whose fix was chosen by keyboard: its panel, and its index there. */
  #mended: { panel: string; index: number } | undefined;
  /** A fix was applied at the caret, and the problems that remain are not known yet. */
  #goesOn = false;
  readonly #apply: (fix: Fix) => void;
  readonly #goOn: () => void;

  /** goOn goes to the next problem after a fix at the caret. */
  constructor(session: Session, apply: (fix: Fix) => void, goOn: () => void) {
    this.#session = session;
    this.#apply = apply;
    this.#goOn = goOn;
    document.addEventListener("click", ({ target, detail }) => {
      const button = target instanceof Element ? target.closest<HTMLElement>("[data-fix]") : null;
      const fix = button?.dataset["fix"];
      if (!fix) return;
      // Only a click of a pointer has a count.
      this.#mended = detail === 0 ? mended(button) : undefined;
      // The templates or ui/go.ts wrote the attribute.
      apply(JSON.parse(fix) as Fix);
    });
  }

  /** Applies the first fix of the problems at a position. */
  applyAt(position: Position, problems: readonly (Problem & { readonly fixes: readonly Fix[] })[]): void {
    const { document } = this.#session.state;
    const isThere = ({ range: { start, end } }: Problem): boolean => start.line <= position.line && position.line <= end.line;
    const fix = problems.find((problem) => problem.document === document && isThere(problem) && problem.fixes.length > 0)?.fixes[0];
    if (!fix) return;
    this.#goesOn = true;
    this.#apply(fix);
  }

  /** Focuses the next problem after a fix by keyboard, unless the user has gone on. The editor keeps the focus after the last one. */
  swapped(panels: readonly string[]): void {
    const { answered, scenario, origin } = this.#session.state;
    if (this.#goesOn && panels.includes("problems") && answered === scenario) {
      this.#goesOn = false;
      if (origin !== "typed") this.#goOn();
    }
    if (!this.#mended || !panels.includes(this.#mended.panel) || answered !== scenario) return;
    const { panel, index } = this.#mended;
    this.#mended = undefined;
    if (origin === "typed") return;
    const left = problemsOf(panel);
    const next = left[Math.min(index, left.length - 1)];
    next?.querySelector<HTMLElement>(".problem-actions .fix, .problem-actions .goto:not(:has(~ .fix))")?.focus();
  }
}

function mended(button: Element): { panel: string; index: number } | undefined {
  const panel = button.closest<HTMLElement>("[data-panel]")?.dataset["panel"];
  const problem = button.closest(".problem");
  return panel !== undefined && problem ? { panel, index: problemsOf(panel).indexOf(problem) } : undefined;
}

function problemsOf(panel: string): Element[] {
  return [...document.querySelectorAll(`[data-panel="${panel}"] .problem`)];
}
