import type { Explanation, Range } from "../api.gen";
import { isPending } from "../evaluation";
import { type DocumentName, documentNames, isOneOf, type PanelName } from "../scenario";
import type { Session, SessionState } from "../session";
import { afterPause } from "../throttle";
import { type Links, renderExplanation } from "./explain-line";
import type { Place } from "./places";

/** The time in ms for which the caret must rest. */
const pause = 250;

export interface ExplainOptions {
  readonly explain: (name: DocumentName) => Promise<Explanation | undefined>;
  readonly go: (place: Place) => void;
  readonly show: (panel: PanelName) => void;
  readonly apply: Links["apply"];
}

/**
 * The lines under the editors, which explain the element at the caret. A line is computed
 * after the result of the last edit, when the caret rests; until then it is stale.
 */
export class Explain {
  readonly #session: Session;
  readonly #options: ExplainOptions;
  readonly #lines = new Map<DocumentName, HTMLElement>();
  /** The explanations that the lines show, as JSON. */
  readonly #shown = new Map<DocumentName, string>();
  /** The documents whose caret has moved since the last explanation. */
  readonly #moved = new Set<DocumentName>();
  /** The documents in which the user has placed the caret. */
  readonly #used = new Set<DocumentName>();
  readonly #soon: () => void;
  readonly #hint: Node;
  /** Finds the element to reveal, until its panel shows the present scenario. */
  #sought: (() => Element | undefined) | undefined;

  constructor(session: Session, options: ExplainOptions) {
    this.#session = session;
    this.#options = options;
    for (const line of document.querySelectorAll<HTMLElement>("[data-explain]")) {
      const name = line.dataset["explain"];
      if (isOneOf(documentNames, name)) this.#lines.set(name, line);
    }
    this.#hint = document.querySelector(".explain-hint") ?? document.createTextNode("");
    this.#soon = afterPause(pause, () => void this.#explain());
    session.subscribe((state, previous) => {
      this.#forget(state, previous);
      if (state.answer === previous.answer && state.document === previous.document) return;
      if (state.answer !== previous.answer) for (const name of this.#used) this.#moved.add(name);
      if (this.#moved.has(state.document)) this.#soon();
    });
  }

  /** Returns the content of a line without an element: only that of the CRD has a hint. */
  #hintOf(name: DocumentName): readonly Node[] {
    return name === "crd" ? [this.#hint.cloneNode(true)] : [];
  }

  /** Forgets what belongs to a former scenario: the sought element, and the lines of the other documents. */
  #forget({ scenario, document: active }: SessionState, { scenario: former }: SessionState): void {
    if (scenario === former) return;
    this.#sought = undefined;
    for (const name of this.#shown.keys()) {
      if (name === active) continue;
      this.#shown.delete(name);
      this.#used.delete(name);
      this.#lines.get(name)?.replaceChildren(...this.#hintOf(name));
    }
  }

  /** Follows a caret. */
  moved(name: DocumentName): void {
    this.#used.add(name);
    this.#moved.add(name);
    this.#soon();
  }

  /** Reveals the sought element in a panel with new content. */
  swapped(): void {
    const found = this.#sought?.();
    if (!found) return;
    // A panel that was hidden may show a former scenario until its answer replaces the element.
    if (!isPending(this.#session.state)) this.#sought = undefined;
    found.scrollIntoView({ block: "center" });
    found.classList.remove("is-sought");
    requestAnimationFrame(() => found.classList.add("is-sought"));
  }

  async #explain(): Promise<void> {
    const { state } = this.#session;
    const { document: name, scenario } = state;
    const line = this.#lines.get(name);
    if (!line || !this.#moved.has(name) || !isAnswered(state)) return;
    this.#moved.delete(name);
    const isEmpty = scenario[name].trim() === "";
    const explanation = isEmpty ? undefined : await this.#options.explain(name);
    if ((!explanation && !isEmpty) || this.#session.state.scenario !== scenario || this.#moved.has(name)) return;
    const shown = JSON.stringify(explanation);
    if (this.#shown.get(name) === shown) return;
    if (explanation) this.#shown.set(name, shown);
    else this.#shown.delete(name);
    const parts = explanation ? renderExplanation(explanation, this.#links(name, explanation)) : [];
    line.replaceChildren(...(parts.length > 0 ? parts : this.#hintOf(name)));
    line.scrollLeft = 0;
  }

  #links(name: DocumentName, explanation: Explanation): Links {
    const { document: crd, schema } = explanation;
    const go = (range: Range): void => this.#options.go({ document: crd, range });
    const result = (): void => this.#seek("outcome", () => resultLine(explanation));
    return {
      schema: () => (schema && name !== crd ? go(schema) : result()),
      result,
      rule: go,
      row: (range) => this.#seek("rules", () => ruleRow(range)),
      apply: this.#options.apply,
    };
  }

  #seek(panel: PanelName, find: () => Element | undefined): void {
    this.#sought = find;
    this.#options.show(panel);
    this.swapped();
  }
}

/** Reports whether the final answer to the scenario has arrived. */
function isAnswered({ scenario, answered, answer }: SessionState): boolean {
  return scenario === answered && answer !== undefined && !answer.preliminary;
}

/** Finds the line of the result that shows a field: its removed line, or its first value. */
function resultLine({ title, schemaPath, changes }: Explanation): Element | undefined {
  const lines = [...document.querySelectorAll<HTMLElement>('[data-panel="outcome"] .yaml-line')];
  const key = title.slice(title.lastIndexOf(".") + 1);
  const isRemoved = changes.some(({ op }) => op === "remove");
  return lines.find((line) => isRemoved && line.matches(".is-removed") && line.querySelector(".key")?.textContent.trim() === key) ??
    lines.find(({ dataset }) => schemaPath !== "" && dataset["node"] === schemaPath) ??
    document.querySelector('[data-panel="outcome"] .object .verdict, [data-panel="outcome"] .verdict') ?? undefined;
}

function ruleRow({ start }: Range): Element | undefined {
  const place = `[data-document="crd"][data-line="${start.line}"][data-character="${start.character}"]`;
  const found = document.querySelector(`[data-panel="rules"] .rule-text${place}`)?.closest(".rule");
  found?.closest("details")?.setAttribute("open", "");
  return found ?? undefined;
}
