import { element } from "../dom";
import type { Engine } from "../engine/engine";
import { isPending } from "../evaluation";
import type { Scenario } from "../scenario";
import type { Session, SessionState } from "../session";
import { parseRendered } from "../trusted";

/** The number of CRDs that the engine's cache holds. The page evaluates no others unasked. */
const maxEvaluated = 16;

/** The time without a change, in ms, after which the other CRDs are evaluated. */
const idleTime = 800;

/** The verdict on a CRD and its objects, as rendered by the engine. */
interface Verdict {
  readonly scenario: Scenario;
  readonly html: string;
}

/**
 * The list of the CRDs in a document that has several. A click chooses one. While the
 * user is idle, the list evaluates the others one by one.
 */
export class CRDList {
  readonly #session: Session;
  readonly #engine: Engine;
  readonly #place = element("crds", HTMLElement);
  readonly #verdicts = new Map<number, Verdict>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(session: Session, engine: Engine) {
    this.#session = session;
    this.#engine = engine;
    this.#place.addEventListener("click", ({ target }) => {
      const index = target instanceof Element && target.closest<HTMLElement>("[data-crd-index]")?.dataset["crdIndex"];
      if (index) session.edit({ crdIndex: Number(index) });
    });
    session.subscribe((state, previous) => {
      if (state.answered !== previous.answered || state.answer !== previous.answer) this.#evaluateSoon();
    });
  }

  /** Shows the known verdicts in the rows of the list. */
  fill(): void {
    const { scenario } = this.#session.state;
    for (const [index, row] of this.#rows().entries()) {
      const verdict = this.#verdicts.get(index);
      if (row.button.ariaCurrent === "true" || !verdict) continue;
      row.verdict.replaceChildren(...parseRendered(verdict.html));
      row.verdict.classList.toggle("is-stale", !isSameBundle(verdict.scenario, scenario));
    }
  }

  #rows(): readonly { readonly button: HTMLElement; readonly verdict: HTMLElement }[] {
    return [...this.#place.querySelectorAll("li")].flatMap((row) => {
      const button = row.querySelector<HTMLElement>(".crd-choice");
      const verdict = row.querySelector<HTMLElement>(".crd-verdict");
      return button && verdict ? [{ button, verdict }] : [];
    });
  }

  #evaluateSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#evaluateOthers(), idleTime);
  }

  /** Evaluates the other CRDs until the user changes something. */
  async #evaluateOthers(): Promise<void> {
    const { scenario } = this.#session.state;
    const count = Math.min(this.#rows().length, maxEvaluated);
    if (count < 2) this.#verdicts.clear();
    for (let index = 0; index < count; index++) {
      if (index === scenario.crdIndex || this.#isCurrent(index)) continue;
      if (this.#session.state.scenario !== scenario || !isIdle(this.#session.state)) return;
      const question = { scenario: { ...scenario, crdIndex: index }, panels: ["brief"], preliminary: false };
      const evaluation = await this.#engine.evaluate(question);
      if (!evaluation) return;
      const html = evaluation.type === "answer" ? evaluation.answer.panels["brief"] : "No verdict";
      this.#verdicts.set(index, { scenario, html: html ?? "" });
      this.fill();
    }
  }

  #isCurrent(index: number): boolean {
    const verdict = this.#verdicts.get(index);
    return verdict !== undefined && isSameBundle(verdict.scenario, this.#session.state.scenario);
  }
}

/** Reports whether two scenarios differ at most in the chosen CRD. */
function isSameBundle(a: Scenario, b: Scenario): boolean {
  return (Object.keys(a) as (keyof Scenario)[]).every((name) => name === "crdIndex" || a[name] === b[name]);
}

/** Reports whether the engine in the page has nothing to do. */
function isIdle(state: SessionState): boolean {
  return state.engine.at === "page" && !isPending(state);
}
