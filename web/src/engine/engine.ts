import type { Answer, View } from "../api.gen";
import { type Scenario, withoutDefaults } from "../scenario";
import type { Fault } from "./protocol";
import { Latest } from "./latest";
import type { Phase } from "./protocol";
import { EvaluationStopped } from "./worker-client";

/** The place of the engine: loading, in the page, on the server, or nowhere. */
export type EngineState =
  | { readonly at: "loading"; readonly phase: Phase }
  | { readonly at: "page"; readonly whole: boolean }
  | { readonly at: "server"; readonly because: string }
  | { readonly at: "nowhere"; readonly because: string };

export interface Question {
  readonly scenario: Scenario;
  /** The names of the requested panels. */
  readonly panels: readonly string[];
  /** Accepts a preliminary answer. */
  readonly preliminary: boolean;
}

export interface Answered {
  readonly type: "answer";
  readonly question: Question;
  readonly answer: Answer;
}

export type Evaluation =
  | Answered
  | { readonly type: "stopped"; readonly question: Question; readonly seconds: number }
  | { readonly type: "fault"; readonly question: Question; readonly message: string };

export type Evaluate = (view: View) => Promise<Answer | Fault>;

/** The engine in the page. Initially only its core module may be loaded. */
export interface InPage {
  readonly evaluate: Evaluate;
  /** Loads the full module, which evaluates the view first. Resolves when it is ready. */
  readonly complete: (first: View | undefined) => Promise<void>;
}

export interface EngineOptions {
  /** The engine in the page, if there is one. */
  readonly inPage: InPage | undefined;
  /** The engine on the server, if there is one. */
  readonly onServer: Evaluate | undefined;
  readonly onState: (state: EngineState) => void;
  /** Receives the reason why the full module could not be loaded. */
  readonly onIncomplete: (because: string) => void;
}

/** The number of consecutive failures after which the engine is restarted. */
const maxFailures = 1;

/**
 * Chooses between the two engines. Scenarios stay in the page. They go to the
 * server only after the engine in the page has failed twice in a row.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #latest: Latest<Question, Evaluation>;
  #inPage: InPage | undefined;
  #failures = 0;
  #last: Question | undefined;
  /** The pending load of the full module, if any. */
  #completing: Promise<boolean> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#inPage = options.inPage;
    this.#latest = new Latest((question) => this.#evaluate(question));
    if (!this.#inPage) this.#leavePage("this page comes without it");
  }

  /** Resolves to undefined if a newer question replaced this one. */
  evaluate(question: Question): Promise<Evaluation | undefined> {
    return this.#latest.submit(question);
  }

  /** Loads the full module. Resolves to false if there is none. */
  async completePage(): Promise<boolean> {
    return this.#inPage ? this.#complete(this.#inPage) : false;
  }

  async #evaluate(question: Question): Promise<Evaluation> {
    const view = viewOf(question);
    this.#last = question;
    while (this.#inPage) {
      try {
        const evaluation = read(question, await this.#inPage.evaluate(view));
        this.#failures = 0;
        if (isIncomplete(evaluation)) void this.#complete(this.#inPage);
        return evaluation;
      } catch (error) {
        this.#failures++;
        const stopped = error instanceof EvaluationStopped;
        if (this.#failures > maxFailures && (this.#options.onServer || !stopped)) {
          this.#leavePage(messageOf(error));
        }
        if (stopped) {
          return { type: "stopped", question, seconds: error.seconds };
        }
      }
    }
    return this.#askServer(question, view);
  }

  /** Loads the full module once. After a failure, the next call retries. */
  #complete(inPage: InPage): Promise<boolean> {
    this.#completing ??= inPage.complete(this.#last && viewOf({ ...this.#last, preliminary: false })).then(
      () => {
        this.#options.onState({ at: "page", whole: true });
        return true;
      },
      (error: unknown) => {
        this.#completing = undefined;
        this.#options.onIncomplete(messageOf(error));
        return false;
      },
    );
    return this.#completing;
  }

  async #askServer(question: Question, view: View): Promise<Evaluation> {
    const { onServer } = this.#options;
    if (!onServer) {
      return { type: "fault", question, message: "The engine could not be started in this browser." };
    }
    try {
      return read(question, await onServer(view));
    } catch (error) {
      return { type: "fault", question, message: `No result: ${messageOf(error)}` };
    }
  }

  #leavePage(because: string): void {
    this.#inPage = undefined;
    const at = this.#options.onServer ? "server" : "nowhere";
    this.#options.onState({ at, because });
  }
}

/** Published schemas are slow, so a view requests them only for their panel. */
function viewOf({ scenario, panels, preliminary }: Question): View {
  const set = withoutDefaults(scenario);
  const wanted = panels.includes("schema") ? { ...set, schemas: true as const } : set;
  return preliminary ? { scenario: wanted, panels, preliminary } : { scenario: wanted, panels };
}

function read(question: Question, answer: Answer | Fault): Evaluation {
  if ("error" in answer) return { type: "fault", question, message: answer.error };
  return { type: "answer", question, answer };
}

function isIncomplete(evaluation: Evaluation): boolean {
  return evaluation.type === "answer" && evaluation.answer.missing !== undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
