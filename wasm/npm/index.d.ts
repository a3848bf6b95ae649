import type { AssistRequest, AssistResponse, GenerateResult, GenerateRequest, Report, Scenario } from "./api.js";

export type * from "./api.js";

/** The parts of a scenario: all have a default. */
export type PartialScenario = Partial<Scenario>;

/** A running engine. It evaluates one request after the other. */
export interface Lab {
  /**
   * Evaluates a scenario. A wrong document is no error: the report describes it. Rejects if
   * the engine has ended.
   */
  evaluate(scenario: PartialScenario): Promise<Report>;

  /** Answers a request of an editor, such as for completions. Rejects for a wrong request. */
  assist(request: AssistRequest): Promise<AssistResponse>;

  /**
   * Generates the CRDs of Go types with kubebuilder markers, as controller-gen does. A mistake in
   * the types is no error: the result has its position. The first call starts the generator in
   * another worker. If it ends, the pending call is rejected, and the next one starts it again.
   */
  generate(source: GenerateRequest): Promise<GenerateResult>;

  /** Ends the engine and the generator, also during an evaluation. Pending requests are rejected. */
  close(): void;
}

/** Starts an engine in a worker of its own. */
export function load(): Promise<Lab>;
