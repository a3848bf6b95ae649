import type { Answer, View } from "../api";
import { type Scenario, withoutDefaults } from "../scenario";
import type { Fault } from "./protocol";
import { Latest } from "./latest";
import type { Phase } from "./protocol";
import { EvaluationStopped } from "./worker-client";

/** Where the engine stands: on its way, in the page, or on the server. */
export type EngineState =
  | { readonly at: "loading"; readonly phase: Phase }
  | { readonly at: "page"; readonly whole: boolean }
  | { readonly at: "server"; readonly because: string }
  | { readonly at: "nowhere"; readonly because: string };

export interface Question {
  readonly scenario: Scenario;
  /** The names of the panels that are wanted. */
  readonly panels: readonly string[];
  /** Whether a preliminary answer will do for now. */
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

/** The engine in the page, of which at first only a part may be loaded. */
export interface InPage {
  readonly evaluate: Evaluate;
  /** Loads the rest, which is asked for the view first; resolves once it answers. */
  readonly complete: (first: View | undefined) => Promise<void>;
}

export interface EngineOptions {
  /** The engine in the page, if there is one. */
  readonly inPage: InPage | undefined;
  /** The engine on the server, if there is one. */
  readonly onServer: Evaluate | undefined;
  readonly onState: (state: EngineState) => void;
  /** Told why the rest of the engine in the page could not be loaded. */
  readonly onIncomplete: (because: string) => void;
}

/** How often in a row the engine in the page may fail: once is restarted. */
const tolerated = 1;

/**
 * The choice of the two engines. What was typed is evaluated in the page; only
 * when the engine there fails twice in a row is it sent to the server.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #latest: Latest<Question, Evaluation>;
  #inPage: InPage | undefined;
  #failures = 0;
  #last: Question | undefined;
  /** Resolves to whether the rest is loaded; undefined if nobody loads it. */
  #completing: Promise<boolean> | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#inPage = options.inPage;
    this.#latest = new Latest((question) => this.#evaluate(question));
    if (!this.#inPage) this.#leavePage("this page comes without it");
  }

  /** Resolves to undefined if a newer question made this one pointless. */
  evaluate(question: Question): Promise<Evaluation | undefined> {
    return this.#latest.submit(question);
  }

  /**
   * Loads what the engine in the page lacks yet, for those who miss it; resolves
   * to whether it is there.
   */
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
        if (this.#failures > tolerated && (this.#options.onServer || !stopped)) {
          this.#leavePage(messageOf(error));
        }
        if (stopped) {
          return { type: "stopped", question, seconds: error.seconds };
        }
      }
    }
    return this.#askServer(question, view);
  }

  /** Loads the rest of the engine, once; what failed is tried again when it is next missed. */
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

/** What is published of the CRD takes time, so it is asked for only to be shown. */
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
