import type { Answer, Trial } from "./api";
import type { DocumentName, PanelName, Scenario } from "./scenario";
import type { EngineState } from "./engine/engine";
import type { Source } from "./remote/source";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** What is tried in the console. */
export interface ConsoleState extends Trial {
  readonly isOpen: boolean;
}

export const emptyConsole: ConsoleState = { expression: "", object: 0, path: "", isOpen: false };

export interface SessionState {
  readonly scenario: Scenario;
  readonly document: DocumentName;
  /** The documents that have a tab although they are empty. */
  readonly opened: readonly DocumentName[];
  readonly panel: PanelName;
  readonly theme: Theme;
  /** The last answer, with the panels that were looked at, and what it answers. */
  readonly answer: Answer | undefined;
  readonly answered: Scenario | undefined;
  readonly engine: EngineState;
  /** Whether there is a network, as far as the browser knows. */
  readonly online: boolean;
  readonly console: ConsoleState;
  /** Where the documents come from, if from a link or an address. */
  readonly source: Source;
  /** A sentence about what went wrong on our side; empty if nothing did. */
  readonly notice: string;
}

export type Listener = (state: SessionState, previous: SessionState) => void;

/** The only mutable state of the page; all that is visible follows from it. */
export class Session {
  #state: SessionState;
  readonly #listeners = new Set<Listener>();

  constructor(initial: SessionState) {
    this.#state = initial;
  }

  get state(): SessionState {
    return this.#state;
  }

  /** Changes the state and tells the listeners, unless nothing changed. */
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

  /** Takes the tab of an empty document away. */
  close(document: DocumentName): void {
    const opened = this.#state.opened.filter((name) => name !== document);
    this.update({ opened, document: this.#state.document === document ? "object" : this.#state.document });
  }

  /** Calls the listener after each change; returns how to stop that. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
