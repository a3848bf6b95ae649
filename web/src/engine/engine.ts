import type { Answer, View } from "../api.gen";
import { sameScenario, type Scenario, withoutDefaults } from "../scenario";
import { Latest } from "./latest";
import type { Fault, Judgments, Phase } from "./protocol";
import { timeFor } from "./allowance";
import { EvaluationStopped, type StopReason } from "./worker-client";

/**
 * The place of the engine. "withheld" means that there is an engine on the server only,
 * and that the user has not allowed the page to send documents there.
 */
export type EngineState =
  | { readonly at: "loading"; readonly phase: Phase }
  | { readonly at: "page" }
  | { readonly at: "server" | "withheld" | "nowhere"; readonly because: string };

export interface EvaluationRequest {
  readonly scenario: Scenario;
  /** The names of the requested panels. */
  readonly panels: readonly string[];
  /** Accepts a preliminary answer. */
  readonly preliminary: boolean;
}

/** The engine that evaluated a scenario. */
export type Evaluator = "page" | "server";

export interface Answered {
  readonly type: "answer";
  readonly by: Evaluator;
  readonly request: EvaluationRequest;
  readonly answer: Answer;
  /** The older releases whose judgments are part of the answer. */
  readonly judged: readonly string[];
}

export type Evaluation =
  | Answered
  | { readonly type: "stopped"; readonly request: EvaluationRequest; readonly reason: StopReason; readonly seconds: number }
  /** The scenario was not sent to the server, because the user has not allowed it. */
  | { readonly type: "withheld"; readonly request: EvaluationRequest }
  | { readonly type: "fault"; readonly request: EvaluationRequest; readonly message: string };

type Stopped = Extract<Evaluation, { type: "stopped" }>;

export type Evaluate = (view: View) => Promise<Answer | Fault>;

/** Evaluates a view within a time limit in ms, with the judgments of older releases if there are any. */
export type EvaluateInTime = (view: View, patience: number, judgments?: Judgments) => Promise<Answer | Fault>;

/** The engine in the page. */
export interface InPage {
  readonly evaluate: EvaluateInTime;
}

/** The engine on the server. */
export interface OnServer {
  readonly evaluate: Evaluate;
  /** Reports whether the server has the scenario already, as an example or a short link. */
  readonly holds: (scenario: Scenario) => boolean;
  /** Reports whether the user allows the page to send documents. */
  readonly isAllowed: () => boolean;
  /** The older Kubernetes releases whose own libraries only the server has. */
  readonly releases: readonly string[];
}

/** The modules of older releases in the page. */
export interface ProgramsInPage {
  readonly has: (release: string) => boolean;
  /** Returns the judgments on a scenario so far. */
  readonly known: (scenario: Scenario) => Judgments;
  /** Returns the judgments if they include the scenario's release. */
  readonly judge: (scenario: Scenario) => Promise<Judgments | undefined>;
}

export interface EngineOptions {
  readonly programs?: ProgramsInPage;
  /** The engine in the page, if there is one. */
  readonly inPage: InPage | undefined;
  /** The engine on the server, if there is one. */
  readonly onServer: OnServer | undefined;
  readonly onState: (state: EngineState) => void;
}

/** The number of consecutive failed starts after which the engine is started again. */
const maxFailures = 1;

/**
 * Chooses between the two engines. Scenarios stay in the page. If the engine in the page
 * cannot start, they go to the server, provided that the user allows it or that the
 * server has them already. It never receives a scenario whose evaluation was stopped.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #latest: Latest<EvaluationRequest, Evaluation>;
  #inPage: InPage | undefined;
  #failures = 0;
  /** The last evaluation in the page that was stopped. */
  #stopped: Stopped | undefined;
  /** The reason why there is no engine in the page. */
  #because = "";

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#inPage = options.inPage;
    this.#latest = new Latest((request) => this.#evaluate(request));
    if (!this.#inPage) this.#leavePage("WebAssembly is unavailable");
  }

  /** Resolves to undefined if a newer request replaced this one. */
  evaluate(request: EvaluationRequest): Promise<Evaluation | undefined> {
    return this.#latest.submit(request);
  }

  /** Applies a change of the user's permission. */
  permissionChanged(): void {
    const { onServer, onState } = this.#options;
    if (onServer && !this.#inPage) onState({ at: placeOf(onServer), because: this.#because });
  }

  async #evaluate(request: EvaluationRequest): Promise<Evaluation> {
    const judged = await this.#askForRelease(request);
    if (judged) return judged;
    let stopped: Stopped | undefined;
    while (this.#inPage) {
      try {
        const evaluation = await this.#evaluateInTime(request, this.#inPage.evaluate);
        this.#failures = 0;
        return evaluation;
      } catch (error) {
        if (error instanceof EvaluationStopped) {
          const isLast = stopped !== undefined || !mayRepeat(error);
          stopped = this.#stopped = stoppedBy(error, request);
          if (isLast) return stopped;
        } else if (++this.#failures > maxFailures) {
          this.#leavePage(messageOf(error));
        }
      }
    }
    return stopped ?? this.#askServer(request, viewOf(request));
  }

  /** Evaluates in the page. With judgments, the answer is complete at once. */
  async #evaluateInTime(request: EvaluationRequest, evaluate: EvaluateInTime): Promise<Evaluation> {
    const judgments = await this.#judgments(request);
    const view = viewOf(judgments ? { ...request, preliminary: false } : request);
    const answer = await evaluate(view, timeFor(request.scenario, judgments !== undefined), judgments);
    return read(request, answer, "page", Object.keys(judgments ?? {}));
  }

  /** Returns the judgments for a request; undefined if it needs no judgments or they are not known yet. */
  async #judgments({ scenario, panels }: EvaluationRequest): Promise<Judgments | undefined> {
    const { programs } = this.#options;
    if (!programs) return undefined;
    const judgments = programs.has(scenario.kubernetes) ? await programs.judge(scenario) : undefined;
    return judgments ?? (panels.includes("releases") ? programs.known(scenario) : undefined);
  }

  /**
   * Evaluates a request on the server if only the server has the libraries that it
   * requires. Resolves to undefined if the page must evaluate it.
   */
  async #askForRelease(request: EvaluationRequest): Promise<Evaluation | undefined> {
    const { onServer } = this.#options;
    if (!this.#inPage || !onServer || !requiresRelease(request, onServer.releases)) return undefined;
    if (this.#wasStopped(request)) return undefined;
    if (!onServer.isAllowed() && !onServer.holds(request.scenario)) return undefined;
    try {
      const evaluation = read(request, await onServer.evaluate(viewOf(request)), "server");
      return evaluation.type === "answer" ? evaluation : undefined;
    } catch {
      return undefined; // the page gives an approximate result
    }
  }

  async #askServer(request: EvaluationRequest, view: View): Promise<Evaluation> {
    const { onServer } = this.#options;
    if (!onServer) {
      return { type: "fault", request, message: "The engine could not be started in this browser." };
    }
    if (this.#stopped && this.#wasStopped(request)) return { ...this.#stopped, request };
    if (!onServer.isAllowed() && !onServer.holds(request.scenario)) return { type: "withheld", request };
    try {
      return read(request, await onServer.evaluate(view), "server");
    } catch (error) {
      return { type: "fault", request, message: `No result: ${messageOf(error)}` };
    }
  }

  /** Reports whether the last stopped evaluation was of the request's scenario. */
  #wasStopped({ scenario }: EvaluationRequest): boolean {
    return this.#stopped !== undefined && sameScenario(this.#stopped.request.scenario, scenario);
  }

  #leavePage(because: string): void {
    this.#inPage = undefined;
    this.#because = because;
    this.#options.onState({ at: placeOf(this.#options.onServer), because });
  }
}

/** Reports whether a request requires the libraries of one of the older releases. */
export function requiresRelease({ scenario, panels }: Pick<EvaluationRequest, "scenario" | "panels">, releases: readonly string[]): boolean {
  return releases.includes(scenario.kubernetes) || (panels.includes("releases") && releases.length > 0);
}

function placeOf(onServer: OnServer | undefined): "server" | "withheld" | "nowhere" {
  if (!onServer) return "nowhere";
  return onServer.isAllowed() ? "server" : "withheld";
}

function stoppedBy({ reason, took }: EvaluationStopped, request: EvaluationRequest): Stopped {
  return { type: "stopped", request, reason, seconds: Math.round(took / 1000) };
}

/**
 * Reports whether a stopped evaluation may succeed in a new worker: the old one may have
 * held the memory of other requests.
 */
function mayRepeat({ reason, wasUsed }: EvaluationStopped): boolean {
  return wasUsed && reason !== "time";
}

/** Published schemas, releases and the stored CRD are slow, so a view requests them only for their panel. */
export function viewOf({ scenario, panels, preliminary }: EvaluationRequest): View {
  const set = withoutDefaults({ ...scenario, go: "" }); // The engine judges the CRD.
  const schemas = panels.includes("schema") ? { schemas: true } : {};
  const releases = panels.includes("releases") ? { releases: true } : {};
  const stored = panels.includes("kubectl") ? { crdStored: true } : {};
  const wanted = { ...set, ...schemas, ...releases, ...stored };
  return preliminary ? { scenario: wanted, panels, preliminary } : { scenario: wanted, panels };
}

function read(request: EvaluationRequest, answer: Answer | Fault, by: Evaluator, judged: readonly string[] = []): Evaluation {
  if ("error" in answer) return { type: "fault", request, message: answer.error };
  return { type: "answer", by, request, answer, judged };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
