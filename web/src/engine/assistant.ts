import type { Completion, Cursor, Formatted, AssistResponse, Hover, AssistRequest, Sample, ExpressionResult, ExpressionRequest } from "../api.gen";
import { Latest } from "./latest";
import { EvaluationStopped } from "./worker-client";

export type Ask = (question: AssistRequest) => Promise<AssistResponse>;

export interface AssistantOptions {
  /** Returns the current engine, or undefined. */
  readonly engine: () => Ask | undefined;
  /** Loads the missing part of the engine. Resolves to false if that failed. */
  readonly complete: () => Promise<boolean>;
}

/** A trial that was ended because it took too long. */
export interface Stopped {
  readonly seconds: number;
}

/**
 * Sends assist requests to the engine. An answer is undefined if a newer request
 * of its kind replaced it or if the request failed; failures are not shown.
 */
export class Assistant {
  readonly #options: AssistantOptions;
  readonly #completions: Latest<AssistRequest, AssistResponse>;
  readonly #hovers: Latest<AssistRequest, AssistResponse>;
  readonly #trials: Latest<ExpressionRequest, ExpressionResult | Stopped | undefined>;

  constructor(options: AssistantOptions) {
    this.#options = options;
    this.#completions = new Latest((question) => this.#ask(question));
    this.#hovers = new Latest((question) => this.#ask(question));
    this.#trials = new Latest((request) => this.#try(request));
  }

  async complete(cursor: Cursor): Promise<Completion | undefined> {
    return (await this.#whole(this.#completions, { complete: cursor }))?.completion;
  }

  async hover(cursor: Cursor): Promise<Hover | undefined> {
    return (await this.#whole(this.#hovers, { hover: cursor }))?.hover;
  }

  async sample(crd: string, full: boolean): Promise<Sample | undefined> {
    return (await this.#ask({ sample: { crd, full } })).sample;
  }

  async format(text: string): Promise<Formatted | undefined> {
    return (await this.#ask({ format: { text } })).formatted;
  }

  /** Evaluates an expression. Resolves to {@link Stopped} if that took too long. */
  try(request: ExpressionRequest): Promise<ExpressionResult | Stopped | undefined> {
    return this.#trials.submit(request);
  }

  async #try(request: ExpressionRequest): Promise<ExpressionResult | Stopped | undefined> {
    try {
      const { tried, missing } = await this.#answers({ try: request });
      if (missing) void this.#options.complete();
      return tried;
    } catch (error) {
      return error instanceof EvaluationStopped ? { seconds: error.seconds } : undefined;
    }
  }

  /** Sends a request, and repeats it after loading a missing part of the engine. */
  async #whole(questions: Latest<AssistRequest, AssistResponse>, question: AssistRequest): Promise<AssistResponse | undefined> {
    const answers = await questions.submit(question);
    if (!answers?.missing || !(await this.#options.complete())) return answers;
    return questions.submit(question);
  }

  async #ask(question: AssistRequest): Promise<AssistResponse> {
    try {
      return await this.#answers(question);
    } catch {
      return {};
    }
  }

  async #answers(question: AssistRequest): Promise<AssistResponse> {
    return (await this.#options.engine()?.(question)) ?? {};
  }
}
