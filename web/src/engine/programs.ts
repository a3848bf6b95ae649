import type { SizedAddress } from "../config";
import { sameScenario, type Scenario } from "../scenario";
import type { Judgments } from "./protocol";
import { EvaluationStopped } from "./worker-client";

/** The part of a worker that judges with the libraries of an older release. */
export interface Program {
  start(): Promise<void>;
  judge(request: string, patience: number): Promise<string>;
  /** Terminates the worker; its requests fail. */
  stop(): void;
}

export interface ProgramsState {
  /** The release whose module is loaded or loading; otherwise empty. */
  readonly release: string;
  readonly at: "nothing" | "loading" | "ready" | "failed";
  /** The downloaded part of the module, 0 to 1. */
  readonly part: number;
  /** The reason of a failure, or empty. */
  readonly because: string;
  /** The scenario of the judgments, and the releases that gave one. */
  readonly scenario: Scenario | undefined;
  readonly judged: readonly string[];
  /** True while one release after another judges the scenario. */
  readonly all: boolean;
}

export const noPrograms: ProgramsState = {
  release: "", at: "nothing", part: 0, because: "", scenario: undefined, judged: [], all: false,
};

export interface ProgramsOptions {
  readonly modules: Readonly<Record<string, SizedAddress>>;
  /** Creates the worker of a module. It reports the downloaded part, 0 to 1. */
  readonly load: (module: SizedAddress, onPart: (part: number) => void) => Program;
  /** Creates the request for the judgments on a scenario. */
  readonly request: (scenario: Scenario) => Promise<string>;
  readonly onState: (state: ProgramsState) => void;
}

/** The time limit of a judgment, in ms. The first of a module is the slowest. */
const patience = 20_000;

/**
 * The modules of older Kubernetes releases. Only one of them is loaded at a time, because each
 * needs as much memory as the engine.
 */
export class Programs {
  readonly #options: ProgramsOptions;
  #state = noPrograms;
  #program: Program | undefined;
  #judgments: Record<string, string> = {};

  constructor(options: ProgramsOptions) {
    this.#options = options;
  }

  has(release: string): boolean {
    return release in this.#options.modules;
  }

  /** Returns the judgments on a scenario so far; its release does not matter. */
  known(scenario: Scenario): Judgments {
    return isOf(this.#state, scenario) ? this.#judgments : {};
  }

  /** Loads the module of a release if it has one, and ends any other. */
  choose(release: string): void {
    const wanted = this.has(release) ? release : "";
    if (!this.#state.all && wanted !== this.#state.release) void this.#load(wanted);
  }

  /**
   * Returns the judgments on a scenario, including its release's if the module is loaded.
   * Resolves to undefined if the release has no module.
   */
  async judge(scenario: Scenario): Promise<Judgments | undefined> {
    const { kubernetes } = scenario;
    const { release, at, all } = this.#state;
    if (!(kubernetes in this.known(scenario)) && !all && release === kubernetes && at === "ready") await this.#ask(scenario);
    const known = this.known(scenario);
    return kubernetes in known ? known : undefined;
  }

  /** Loads one module after another, and judges a scenario with each. */
  async judgeAll(scenario: Scenario): Promise<void> {
    if (this.#state.all) return;
    this.#update({ all: true });
    try {
      await this.#judgeMissing(scenario);
    } finally {
      this.cancelAll();
    }
  }

  /** Judges a scenario with the releases that have not judged it, until {@link cancelAll}. */
  async #judgeMissing(scenario: Scenario): Promise<void> {
    for (const release of Object.keys(this.#options.modules)) {
      if (!this.#state.all) return;
      if (release in this.known(scenario)) continue;
      if (release !== this.#state.release || this.#state.at !== "ready") await this.#load(release);
      if (this.#state.at === "ready") await this.#ask(scenario);
    }
  }

  /** Ends the judging of one release after another. */
  cancelAll(): void {
    if (this.#state.all) this.end();
  }

  /** Ends the module and everything that it does. */
  end(): void {
    if (!this.#program && !this.#state.all && this.#state.at === "nothing") return;
    this.#program?.stop();
    this.#program = undefined;
    this.#update({ release: "", at: "nothing", part: 0, because: "", all: false });
  }

  /** Loads the module of a release. */
  async #load(release: string): Promise<void> {
    const module = this.#options.modules[release];
    this.#program?.stop();
    this.#program = undefined;
    if (!module) {
      this.#update({ release: "", at: "nothing", part: 0, because: "" });
      return;
    }
    this.#update({ release, at: "loading", part: 0, because: "" });
    const program = this.#options.load(module, (part) => {
      if (program === this.#program) this.#update({ part });
    });
    this.#program = program;
    try {
      await program.start();
      if (program === this.#program) this.#update({ at: "ready", part: 1 });
    } catch (error) {
      if (program === this.#program) this.#update({ at: "failed", because: error instanceof Error ? error.message : String(error), all: false });
    }
  }

  /** Adds the judgment of the loaded module. */
  async #ask(scenario: Scenario): Promise<void> {
    const program = this.#program;
    const { release } = this.#state;
    const request = await this.#options.request(scenario);
    if (!program) return;
    const judgment = await judgmentOf(program, request);
    if (program !== this.#program) return;
    this.#judgments = { ...this.known(scenario), [release]: judgment };
    this.#update({ scenario, judged: Object.keys(this.#judgments) });
  }

  #update(change: Partial<ProgramsState>): void {
    this.#state = { ...this.#state, ...change };
    this.#options.onState(this.#state);
  }
}

/** Returns the releases that judged a scenario. */
export function judgedReleases(state: ProgramsState, scenario: Scenario): readonly string[] {
  return isOf(state, scenario) ? state.judged : [];
}

function isOf({ scenario: known }: ProgramsState, scenario: Scenario): boolean {
  return known !== undefined && sameScenario({ ...known, kubernetes: "" }, { ...scenario, kubernetes: "" });
}

/** Returns the reply of a program, or a judgment without a verdict. */
async function judgmentOf(program: Program, request: string): Promise<string> {
  try {
    const reply = await program.judge(request, patience);
    const { error } = JSON.parse(reply) as { readonly error?: string };
    return error === undefined ? reply : unjudged(error);
  } catch (error) {
    return unjudged(error instanceof EvaluationStopped ? `it was stopped (${error.reason})` : String(error));
  }
}

function unjudged(reason: string): string {
  return JSON.stringify({ library: "", unjudged: reason });
}
