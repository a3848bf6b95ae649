import type { Completion, Cursor, Formatted, Help, Hover, Question, Sample, Tried, TryRequest } from "../api";
import { Latest } from "./latest";
import { EvaluationStopped } from "./worker-client";

export type Ask = (question: Question) => Promise<Help>;

export interface AssistantOptions {
  /** The engine to ask now; undefined if there is none. */
  readonly engine: () => Ask | undefined;
  /** Loads the part that the engine lacks; resolves to whether it is there. */
  readonly complete: () => Promise<boolean>;
}

/** A trial that took too long, and was ended after so many seconds. */
export interface Stopped {
  readonly seconds: number;
}

/**
 * What the engine tells those who write. An answer is undefined if a newer
 * question of its kind took its place, or if there is none: then nobody is
 * bothered with that.
 */
export class Assistant {
  readonly #options: AssistantOptions;
  readonly #completions: Latest<Question, Help>;
  readonly #hovers: Latest<Question, Help>;
  readonly #trials: Latest<TryRequest, Tried | Stopped | undefined>;

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

  /** Evaluates an expression, or tells that this had to be ended. */
  try(request: TryRequest): Promise<Tried | Stopped | undefined> {
    return this.#trials.submit(request);
  }

  async #try(request: TryRequest): Promise<Tried | Stopped | undefined> {
    try {
      const { tried, missing } = await this.#answers({ try: request });
      if (missing) void this.#options.complete();
      return tried;
    } catch (error) {
      return error instanceof EvaluationStopped ? { seconds: error.seconds } : undefined;
    }
  }

  /** Asks, and asks again once the engine has what it lacks. */
  async #whole(questions: Latest<Question, Help>, question: Question): Promise<Help | undefined> {
    const answers = await questions.submit(question);
    if (!answers?.missing || !(await this.#options.complete())) return answers;
    return questions.submit(question);
  }

  async #ask(question: Question): Promise<Help> {
    try {
      return await this.#answers(question);
    } catch {
      return {};
    }
  }

  async #answers(question: Question): Promise<Help> {
    return (await this.#options.engine()?.(question)) ?? {};
  }
}
