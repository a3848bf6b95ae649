import type { Completion, Cursor, Explanation, FieldsResult, FormatResult, GenerateResult, GenerateRequest, AssistResponse, Hover, AssistRequest, InsertRequest, InsertResult, MutateResult, PlanResult, PublishResult, SampleResult, TemplateResult, ExportResult, TestResult, TryResult, TryRequest } from "../api.gen";
import { Latest } from "./latest";
import { EvaluationStopped, type StopReason } from "./worker-client";
import { type Scenario, withoutDefaults } from "../scenario";

export type Assist = (request: AssistRequest) => Promise<AssistResponse>;

/** A trial that was stopped. */
export interface Stopped {
  readonly reason: StopReason;
  /** The time until the end, in s. */
  readonly seconds: number;
}

/**
 * Sends assist requests to the engine. A result is undefined if a newer request
 * of its kind replaced it or if the request failed; failures are not shown.
 */
export class Assistant {
  /** Returns the engine for a request, or undefined. */
  readonly #engine: (request: AssistRequest) => Assist | undefined;
  readonly #completions: Latest<AssistRequest, AssistResponse>;
  readonly #hovers: Latest<AssistRequest, AssistResponse>;
  readonly #explanations: Latest<AssistRequest, AssistResponse>;
  readonly #fields: Latest<AssistRequest, AssistResponse>;
  readonly #tests: Latest<AssistRequest, AssistResponse>;
  readonly #mutations: Latest<AssistRequest, AssistResponse>;
  readonly #trials: Latest<TryRequest, TryResult | Stopped | undefined>;

  constructor(engine: (request: AssistRequest) => Assist | undefined) {
    this.#engine = engine;
    this.#completions = new Latest((request) => this.#ask(request));
    this.#hovers = new Latest((request) => this.#ask(request));
    this.#explanations = new Latest((request) => this.#ask(request));
    this.#fields = new Latest((request) => this.#ask(request));
    this.#tests = new Latest((request) => this.#ask(request));
    this.#mutations = new Latest((request) => this.#ask(request));
    this.#trials = new Latest((request) => this.#try(request));
  }

  async complete(cursor: Cursor): Promise<Completion | undefined> {
    return (await this.#completions.submit({ complete: cursor }))?.complete;
  }

  async hover(cursor: Cursor): Promise<Hover | undefined> {
    return (await this.#hovers.submit({ hover: cursor }))?.hover;
  }

  /** Explains the element at a cursor. */
  async explain(cursor: Cursor): Promise<Explanation | undefined> {
    return (await this.#explanations.submit({ explain: cursor }))?.explain;
  }

  async sample({ crd, crdIndex }: Scenario, full: boolean): Promise<SampleResult | undefined> {
    return (await this.#ask({ sample: { crd, crdIndex, full } })).sample;
  }

  async template(crd: string, document: "conversion" | "admission"): Promise<TemplateResult | undefined> {
    return (await this.#ask({ template: { crd, document } })).template;
  }

  async format(text: string): Promise<FormatResult | undefined> {
    return (await this.#ask({ format: { text } })).format;
  }

  /** Lists the fields of a version of a CRD; an unknown version is the storage version. */
  async fields(scenario: Scenario, version: string): Promise<FieldsResult | undefined> {
    return (await this.#fields.submit({ fields: { scenario: withoutDefaults(scenario), version } }))?.fields;
  }

  async insert(request: InsertRequest): Promise<InsertResult | undefined> {
    return (await this.#ask({ insert: request })).insert;
  }

  /** Compares the findings with the expectations in the documents. */
  async test(scenario: Scenario): Promise<TestResult | undefined> {
    return (await this.#tests.submit({ test: { scenario: withoutDefaults(scenario) } }))?.test;
  }

  /** Tries some changes of the constraints of the CRDs, after the first ones. */
  async mutate(scenario: Scenario, from: number): Promise<MutateResult | undefined> {
    return (await this.#mutations.submit({ mutate: { scenario: withoutDefaults(scenario), from } }))?.mutate;
  }

  /** Does a part of the plan from the previous CRD, after the first steps and trials. */
  async plan(scenario: Scenario, from: number, trials: number): Promise<PlanResult | undefined> {
    return (await this.#ask({ plan: { scenario: withoutDefaults(scenario), from, trials } })).plan;
  }

  /** Writes a scenario as a test file. */
  async export(scenario: Scenario): Promise<ExportResult | undefined> {
    return (await this.#tests.submit({ export: { scenario: withoutDefaults(scenario) } }))?.export;
  }

  /** Writes the JSON Schema of a version of a CRD. */
  async publish(scenario: Scenario, version: string, strict: boolean): Promise<PublishResult | undefined> {
    return (await this.#ask({ publish: { scenario: withoutDefaults(scenario), version, strict } })).publish;
  }

  /** Generates CRDs on the server. Rejects if the server fails or may not have the source. */
  async generate(source: GenerateRequest): Promise<GenerateResult | undefined> {
    const assist = this.#engine({ generate: source });
    if (!assist) throw new Error("Go types need WebAssembly or the server, and your documents are not sent to it");
    return (await assist({ generate: source })).generate;
  }

  /** Evaluates an expression. Resolves to {@link Stopped} if the evaluation was stopped. */
  try(request: TryRequest): Promise<TryResult | Stopped | undefined> {
    return this.#trials.submit(request);
  }

  async #try(request: TryRequest): Promise<TryResult | Stopped | undefined> {
    try {
      return (await this.#respond({ try: request })).try;
    } catch (error) {
      return error instanceof EvaluationStopped ? { reason: error.reason, seconds: Math.round(error.took / 1000) } : undefined;
    }
  }

  async #ask(request: AssistRequest): Promise<AssistResponse> {
    try {
      return await this.#respond(request);
    } catch {
      return {};
    }
  }

  async #respond(request: AssistRequest): Promise<AssistResponse> {
    return (await this.#engine(request)?.(request)) ?? {};
  }
}
