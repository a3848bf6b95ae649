import type { Fix } from "../api.gen";
import type { Session } from "../session";

/** The buttons of quick fixes. */
export class Fixes {
  readonly #session: Session;
  /** The problem whose fix was chosen by keyboard: its panel, and its index there. */
  #mended: { panel: string; index: number } | undefined;

  constructor(session: Session, apply: (fix: Fix) => void) {
    this.#session = session;
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

  /** Focuses the next problem after a fix by keyboard, unless the user has gone on. The editor keeps the focus after the last one. */
  swapped(panels: readonly string[]): void {
    const { answered, scenario, origin } = this.#session.state;
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
