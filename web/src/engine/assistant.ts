import type { Completion, Cursor, Explanation, FieldTree, Formatted, GeneratedCRDs, GoSource, AssistResponse, Hover, AssistRequest, InsertRequest, Insertion, JSONSchema, Sample, Template, TestFile, TestResult, ExpressionResult, ExpressionRequest } from "../api.gen";
import { Latest } from "./latest";
import { EvaluationStopped, type StopReason } from "./worker-client";
import { type Scenario, withoutDefaults } from "../scenario";

export type Ask = (question: AssistRequest) => Promise<AssistResponse>;

/** A trial that was stopped. */
export interface Stopped {
  readonly reason: StopReason;
  /** The time until the end, in s. */
  readonly seconds: number;
}

/**
 * Sends assist requests to the engine. An answer is undefined if a newer request
 * of its kind replaced it or if the request failed; failures are not shown.
 */
export class Assistant {
  /** Returns the engine for a request, or undefined. */
  readonly #engine: (question: AssistRequest) => Ask | undefined;
  readonly #completions: Latest<AssistRequest, AssistResponse>;
  readonly #hovers: Latest<AssistRequest, AssistResponse>;
  readonly #explanations: Latest<AssistRequest, AssistResponse>;
  readonly #fields: Latest<AssistRequest, AssistResponse>;
  readonly #tests: Latest<AssistRequest, AssistResponse>;
  readonly #trials: Latest<ExpressionRequest, ExpressionResult | Stopped | undefined>;

  constructor(engine: (question: AssistRequest) => Ask | undefined) {
    this.#engine = engine;
    this.#completions = new Latest((question) => this.#ask(question));
    this.#hovers = new Latest((question) => this.#ask(question));
    this.#explanations = new Latest((question) => this.#ask(question));
    this.#fields = new Latest((question) => this.#ask(question));
    this.#tests = new Latest((question) => this.#ask(question));
    this.#trials = new Latest((request) => this.#try(request));
  }

  async complete(cursor: Cursor): Promise<Completion | undefined> {
    return (await this.#completions.submit({ complete: cursor }))?.completion;
  }

  async hover(cursor: Cursor): Promise<Hover | undefined> {
    return (await this.#hovers.submit({ hover: cursor }))?.hover;
  }

  /** Explains the element at a cursor. */
  async explain(cursor: Cursor): Promise<Explanation | undefined> {
    return (await this.#explanations.submit({ explain: cursor }))?.explained;
  }

  async sample({ crd, crdIndex }: Scenario, full: boolean): Promise<Sample | undefined> {
    return (await this.#ask({ sample: { crd, crdIndex, full } })).sample;
  }

  async template(crd: string, document: "conversion" | "admission"): Promise<Template | undefined> {
    return (await this.#ask({ template: { crd, document } })).template;
  }

  async format(text: string): Promise<Formatted | undefined> {
    return (await this.#ask({ format: { text } })).formatted;
  }

  /** Lists the fields of a version of a CRD; an unknown version is the storage version. */
  async fields(scenario: Scenario, version: string): Promise<FieldTree | undefined> {
    return (await this.#fields.submit({ fields: { scenario: withoutDefaults(scenario), version } }))?.tree;
  }

  async insert(request: InsertRequest): Promise<Insertion | undefined> {
    return (await this.#ask({ insert: request })).insertion;
  }

  /** Compares the findings with the expectations in the documents. */
  async test(scenario: Scenario): Promise<TestResult | undefined> {
    return (await this.#tests.submit({ test: { scenario: withoutDefaults(scenario) } }))?.tested;
  }

  /** Writes a scenario as a test file. */
  async export(scenario: Scenario): Promise<TestFile | undefined> {
    return (await this.#tests.submit({ export: { scenario: withoutDefaults(scenario) } }))?.testFile;
  }

  /** Writes the JSON Schema of a version of a CRD. */
  async publish(scenario: Scenario, version: string, strict: boolean): Promise<JSONSchema | undefined> {
    return (await this.#ask({ publish: { scenario: withoutDefaults(scenario), version, strict } })).published;
  }

  /** Generates CRDs on the server. Rejects if the server fails or may not have the text. */
  async generate(source: GoSource): Promise<GeneratedCRDs | undefined> {
    const ask = this.#engine({ generate: source });
    if (!ask) throw new Error("Go types need WebAssembly or the server, and your documents are not sent to it");
    return (await ask({ generate: source })).generated;
  }

  /** Evaluates an expression. Resolves to {@link Stopped} if the evaluation was stopped. */
  try(request: ExpressionRequest): Promise<ExpressionResult | Stopped | undefined> {
    return this.#trials.submit(request);
  }

  async #try(request: ExpressionRequest): Promise<ExpressionResult | Stopped | undefined> {
    try {
      return (await this.#answers({ try: request })).tried;
    } catch (error) {
      return error instanceof EvaluationStopped ? { reason: error.reason, seconds: Math.round(error.took / 1000) } : undefined;
    }
  }

  async #ask(question: AssistRequest): Promise<AssistResponse> {
    try {
      return await this.#answers(question);
    } catch {
      return {};
    }
  }

  async #answers(question: AssistRequest): Promise<AssistResponse> {
    return (await this.#engine(question)?.(question)) ?? {};
  }
}
