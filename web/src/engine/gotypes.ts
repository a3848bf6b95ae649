import type { AssistRequest, AssistResponse, Fix, GenerateResult, GoProblem, GenerateRequest, Origin } from "../api.gen";
import type { Problem } from "../ui/problems";
import { Latest } from "./latest";
import type { Fault } from "./protocol";

/** The part of a worker that generates CRDs. */
export interface Generator {
  start(): Promise<void>;
  assist(request: AssistRequest, patience: number): Promise<AssistResponse>;
}

/** The last result of the generator. */
export interface Generated {
  /** The Go source of the result. */
  readonly go: string;
  /** Empty if mistakes prevent a CRD. */
  readonly crd: string;
  readonly problems: readonly (GoProblem & Problem)[];
  readonly origins: readonly Origin[];
  /** The edits of Go for fixes of the CRD by their keys; no edits for those that have none in Go. */
  readonly translated: ReadonlyMap<string, Fix>;
  /** A sentence if the generator failed on newer source; otherwise empty. */
  readonly fault: string;
}

export const nothingGenerated: Generated = { go: "", crd: "", problems: [], origins: [], translated: new Map(), fault: "" };

export interface GoTypesState {
  readonly at: "nothing" | "loading" | "ready" | "failed";
  /** The downloaded part of the module, 0 to 1. */
  readonly part: number;
  /** The reason of a failure, or empty. */
  readonly because: string;
}

export const noGoTypes: GoTypesState = { at: "nothing", part: 0, because: "" };

export interface GoTypesOptions {
  /** Creates the worker. It reports the downloaded part of the module, 0 to 1. */
  readonly load: (onPart: (part: number) => void) => Generator;
  readonly onState: (state: GoTypesState) => void;
}

/** The time limit of a generation, in ms. */
const patience = 20_000;

/** Generates CRDs from Go types. The module is loaded on first use. */
export class GoTypes {
  readonly #options: GoTypesOptions;
  readonly #latest = new Latest((source: GenerateRequest) => this.#generate(source));
  #worker: Generator | undefined;
  #state = noGoTypes;

  constructor(options: GoTypesOptions) {
    this.#options = options;
  }

  /** Loads the module, so that the first generation needs no download. */
  async load(): Promise<void> {
    await this.#start().catch(() => {}); // The state has the reason.
  }

  /**
   * Generates the CRDs of Go source. Resolves to undefined if newer source replaced this
   * one. Rejects with EvaluationStopped if the generation was stopped, and with another error
   * if the module fails; the next call starts it again.
   */
  generate(source: GenerateRequest): Promise<GenerateResult | undefined> {
    return this.#latest.submit(source);
  }

  /** Responds to a request about a marker. The response is empty if the module fails. */
  async assist(request: AssistRequest): Promise<AssistResponse> {
    try {
      return await (await this.#start()).assist(request, patience);
    } catch {
      return {};
    }
  }

  async #generate(source: GenerateRequest): Promise<GenerateResult | undefined> {
    const worker = await this.#start();
    const reply: AssistResponse & Partial<Fault> = await worker.assist({ generate: source }, patience);
    if (reply.error !== undefined) throw new Error(reply.error);
    return reply.generate;
  }

  /** Starts the worker if it is not running. */
  async #start(): Promise<Generator> {
    this.#worker ??= this.#options.load((part) => this.#update({ at: "loading", part, because: "" }));
    if (this.#state.at !== "ready") this.#update({ ...this.#state, at: "loading", because: "" });
    try {
      await this.#worker.start();
      this.#update({ at: "ready", part: 1, because: "" });
      return this.#worker;
    } catch (error) {
      this.#update({ at: "failed", part: 0, because: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  #update(state: GoTypesState): void {
    const { at, part } = this.#state;
    if (state.at === at && state.part === part) return;
    this.#state = state;
    this.#options.onState(state);
  }
}
