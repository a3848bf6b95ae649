import type { Completion, Cursor, Formatted, Hover, Sample } from "../help-contract";
import { Latest } from "./latest";

/** Answers a question, both as JSON text. */
export type Ask = (question: string) => Promise<string>;

export interface HelpOptions {
  /** The engine to ask now; undefined if there is none. */
  readonly engine: () => Ask | undefined;
  /** Told that the engine lacks a part of the answer. */
  readonly onMissing: () => void;
}

interface Answers {
  readonly completion?: Completion;
  readonly hover?: Hover;
  readonly sample?: Sample;
  readonly formatted?: Formatted;
  readonly missing?: boolean;
}

type Question =
  | { readonly complete: Cursor }
  | { readonly hover: Cursor }
  | { readonly sample: { readonly crd: string; readonly version?: string; readonly full?: boolean } }
  | { readonly format: { readonly text: string } };

/**
 * What the engine tells those who write. An answer is undefined if a newer
 * question of its kind took its place, or if there is none: then nobody is
 * bothered with that.
 */
export class Help {
  readonly #options: HelpOptions;
  readonly #completions: Latest<Question, Answers>;
  readonly #hovers: Latest<Question, Answers>;

  constructor(options: HelpOptions) {
    this.#options = options;
    this.#completions = new Latest((question) => this.#ask(question));
    this.#hovers = new Latest((question) => this.#ask(question));
  }

  async complete(cursor: Cursor): Promise<Completion | undefined> {
    return (await this.#completions.submit({ complete: cursor }))?.completion;
  }

  async hover(cursor: Cursor): Promise<Hover | undefined> {
    return (await this.#hovers.submit({ hover: cursor }))?.hover;
  }

  async sample(crd: string, full: boolean): Promise<Sample | undefined> {
    return (await this.#ask({ sample: { crd, full } })).sample;
  }

  async format(text: string): Promise<Formatted | undefined> {
    return (await this.#ask({ format: { text } })).formatted;
  }

  async #ask(question: Question): Promise<Answers> {
    try {
      const answer = await this.#options.engine()?.(JSON.stringify(question));
      if (!answer) return {};
      const answers = JSON.parse(answer) as Answers;
      if (answers.missing) this.#options.onMissing();
      return answers;
    } catch {
      return {};
    }
  }
}
