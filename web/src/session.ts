import type { Answer, Expression } from "./api.gen";
import type { DocumentName, PanelName, Scenario } from "./scenario";
import type { EngineState } from "./engine/engine";
import type { Source } from "./remote/source";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The state of the console. */
export interface ConsoleState extends Expression {
  readonly isOpen: boolean;
}

export const emptyConsole: ConsoleState = { expression: "", object: 0, path: "", isOpen: false };

export interface SessionState {
  readonly scenario: Scenario;
  readonly document: DocumentName;
  /** The empty documents that have a tab. */
  readonly opened: readonly DocumentName[];
  readonly panel: PanelName;
  readonly theme: Theme;
  /** The last answer, with the panels shown so far, and its scenario. */
  readonly answer: Answer | undefined;
  readonly answered: Scenario | undefined;
  readonly engine: EngineState;
  /** False if the browser reports no network. */
  readonly online: boolean;
  readonly console: ConsoleState;
  /** The link or address that the documents came from, if any. */
  readonly source: Source;
  /** A sentence about a fault of the playground; empty without one. */
  readonly notice: string;
}

export type Listener = (state: SessionState, previous: SessionState) => void;

/** The only mutable state of the page. Everything visible derives from it. */
export class Session {
  #state: SessionState;
  readonly #listeners = new Set<Listener>();

  constructor(initial: SessionState) {
    this.#state = initial;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Changes the state and, if it differs, calls the listeners. */
  update(change: Partial<SessionState>): void {
    const previous = this.#state;
    const next = { ...previous, ...change };
    const keys = Object.keys(change) as (keyof SessionState)[];
    if (keys.every((key) => Object.is(previous[key], next[key]))) return;
    this.#state = next;
    for (const listener of this.#listeners) listener(next, previous);
  }

  /** Changes parts of the scenario. */
  edit(change: Partial<Scenario>): void {
    this.update({ scenario: { ...this.#state.scenario, ...change } });
  }

  /** Shows a document, with a tab even if it is empty. */
  open(document: DocumentName): void {
    const { opened } = this.#state;
    this.update({ document, opened: opened.includes(document) ? opened : [...opened, document] });
  }

  /** Closes the tab of an empty document. */
  close(document: DocumentName): void {
    const opened = this.#state.opened.filter((name) => name !== document);
    this.update({ opened, document: this.#state.document === document ? "object" : this.#state.document });
  }

  /** Calls the listener after each change. Returns a function that unsubscribes it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
