import type { Answer, Expression, TestResult } from "./api.gen";
import { type DocumentName, groupOf, type PanelName, type Scenario } from "./scenario";
import type { FieldPlace } from "./fields";
import type { EngineState, Evaluator } from "./engine/engine";
import type { Generated, GoTypesState } from "./engine/gotypes";
import { type FindExample, followExample, type Preset } from "./own";
import type { ProgramsState } from "./engine/programs";
import type { Permission } from "./engine/permission";
import type { Mutations } from "./mutations";
import type { Plan } from "./plan";
import type { Source } from "./remote/source";
import { afterFrame } from "./throttle";

export const themes = ["system", "light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** The state of the console. */
export interface ConsoleState extends Expression {
  readonly isOpen: boolean;
}

export const emptyConsole: ConsoleState = { expression: "", object: 0, path: "", isOpen: false };

export const panes = ["crd", "object", "problems", "result"] as const;
export type Pane = (typeof panes)[number];

/** The origin of the scenario: opened as a whole, or the last one after a change. */
export type Origin = "opened" | "changed" | "typed";

export interface SessionState {
  readonly scenario: Scenario;
  readonly origin: Origin;
  /** The example that the documents began with, if any. */
  readonly example?: Preset | undefined;
  /** The user typed a moment ago. The verdict in one line, for example, never changes per keystroke. */
  readonly typing: boolean;
  readonly document: DocumentName;
  /** The document that wide windows show beside it, in the other pane. */
  readonly beside: DocumentName;
  /** The pane that covers the others; empty without one. */
  readonly maximized: Pane | "";
  /** The empty documents that have a tab. */
  readonly opened: readonly DocumentName[];
  /** The document that was closed with its text, until the scenario changes again. */
  readonly closed?: { readonly name: DocumentName; readonly text: string } | undefined;
  readonly panel: PanelName;
  /** The field that the documentation of the CRD's fields shows, if any. */
  readonly field: FieldPlace | undefined;
  readonly theme: Theme;
  /** The last answer, with the panels shown so far, and its scenario. */
  readonly answer: Answer | undefined;
  readonly answered: Scenario | undefined;
  /** The engine that gave the last answer; "earlier" is that in the page, at the last visit. */
  readonly evaluator: Evaluator | "earlier";
  readonly engine: EngineState;
  /** The user's decision whether documents may go to the server. */
  readonly permission: Permission;
  /** Shows the question for the permission. */
  readonly question: boolean;
  /** False if the browser reports no network. */
  readonly online: boolean;
  /** The modules of older Kubernetes releases. */
  readonly programs: ProgramsState;
  /** The module that generates CRDs from Go types, and its last result. */
  readonly goTypes: GoTypesState;
  readonly generated: Generated;
  /** The older releases whose judgments are part of the answer. */
  readonly judged: readonly string[];
  /** The expectations in the documents, if any, and whether the last tested scenario meets them. */
  readonly tested: TestResult | undefined;
  /** What the tests say about small changes of the CRDs, once the user has asked for it. */
  readonly mutations: Mutations | undefined;
  /** The steps from the previous CRD, once the user has asked for them. */
  readonly plan: Plan | undefined;
  readonly console: ConsoleState;
  /** The link or address that the documents came from, if any. */
  readonly source: Source;
  /** A sentence about a fault of the playground; empty without one. */
  readonly notice: string;
  /** The evaluation of the answered scenario ended without a verdict, as the notice says. */
  readonly failed?: boolean;
}

export type Listener = (state: SessionState, previous: SessionState) => void;

/** The only mutable state of the page. Everything visible derives from it. */
export class Session {
  #state: SessionState;
  /** The state that the listeners know. */
  #told: SessionState;
  readonly #listeners = new Set<Listener>();
  readonly #find: FindExample;

  constructor(initial: SessionState, find: FindExample = () => undefined) {
    this.#state = this.#told = initial;
    this.#find = find;
  }

  get state(): SessionState {
    return this.#state;
  }

  /**
   * Changes the state and, if it differs, calls the listeners: at once, or after the next
   * frame, which shows a typed character, if the change is due to typing.
   */
  update(change: Partial<SessionState>): void {
    const previous = this.#state;
    const next = withImplied(previous, change, this.#find);
    const keys = Object.keys(change) as (keyof SessionState)[];
    if (keys.every((key) => Object.is(previous[key], next[key]))) return;
    this.#state = next;
    if (change.origin === "typed") afterFrame(() => this.#tell());
    else this.#tell();
  }

  #tell(): void {
    const [state, told] = [this.#state, this.#told];
    if (state === told) return;
    this.#told = state;
    for (const listener of this.#listeners) listener(state, told);
  }

  /** Changes parts of the scenario. */
  edit(change: Partial<Scenario>, origin: Origin = "changed"): void {
    this.update({ scenario: { ...this.#state.scenario, ...change }, origin });
  }

  /** Shows a document, with a tab even if it is empty. */
  open(document: DocumentName): void {
    const { opened } = this.#state;
    this.update({ document, opened: opened.includes(document) ? opened : [...opened, document] });
  }

  /** Closes the tab of a document, whose text is then empty. */
  close(document: DocumentName): void {
    const opened = this.#state.opened.filter((name) => name !== document);
    const [first = document] = groupOf(document);
    const { document: shown, beside, scenario } = this.#state;
    const text = scenario[document];
    const emptied = text === "" ? {} : { scenario: { ...scenario, [document]: "" }, origin: "changed" as const, closed: { name: document, text } };
    this.update({ ...emptied, opened, document: shown === document ? first : shown, beside: beside === document ? first : beside });
  }

  /** Opens the closed document again, with its text. */
  reopen(): void {
    const { closed, scenario } = this.#state;
    if (closed) this.update({ scenario: { ...scenario, [closed.name]: closed.text }, origin: "changed", document: closed.name });
  }

  /** Calls the listener after each change. Returns a function that unsubscribes it. */
  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/**
 * Applies a change and its consequences: another scenario was opened, a pane keeps its
 * document, and what an example presets follows its CRD.
 */
function withImplied(previous: SessionState, change: Partial<SessionState>, find: FindExample): SessionState {
  const next = { ...previous, ...change };
  const origin = change.scenario && !change.origin ? "opened" : next.origin;
  const leaves = groupOf(next.document) !== groupOf(previous.document) && !change.beside;
  const typing = change.scenario ? origin === "typed" : next.typing;
  const closed = change.scenario ? change.closed : next.closed;
  const implied = { ...next, origin, typing, closed, beside: leaves ? previous.document : next.beside };
  return change.scenario ? followExample(previous, implied, find) : implied;
}
