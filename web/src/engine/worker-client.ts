import type { FromWorker, Phase, Task, ToWorker } from "./protocol";

/** The part of a Worker that the client uses. */
export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export interface WorkerOptions {
  readonly spawn: () => WorkerLike;
  readonly module: string;
  readonly runtime: string;
  readonly packed: string;
  /**
   * How long the evaluation of a scenario may take before the worker is ended,
   * in ms. The first one after the start is given twice that.
   */
  readonly evaluationTimeout: (scenario: string) => number;
  /** How long the start may take, in ms. */
  readonly startTimeout: number;
  readonly onPhase: (phase: Phase | "ready") => void;
}

/** The worker did not answer in time and was ended. */
export class EvaluationStopped extends Error {
  constructor(readonly seconds: number) {
    super(`the evaluation took more than ${seconds} s`);
  }
}

/** The worker could not start, or broke down. */
export class EngineFailed extends Error {}

interface Waiting {
  /** How long the answer may take, in ms, from when the worker begins. */
  readonly patience: number;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One long-lived worker that answers one request after the other. After a
 * failure the next request starts a fresh one.
 */
export class WorkerClient {
  readonly #options: WorkerOptions;
  #worker: WorkerLike | undefined;
  #started: Promise<void> | undefined;
  #ready: () => void = () => {};
  #failed: (error: Error) => void = () => {};
  /** The requests that are not answered yet, by number. */
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** The first evaluation compiles much of the module as it goes. */
  #warm = false;
  #ended = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Resolves once the worker can evaluate. */
  start(): Promise<void> {
    if (this.#started) return this.#started;
    this.#started = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(new EngineFailed("the engine did not start in time")),
        this.#options.startTimeout,
      );
      this.#ready = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#failed = (error) => {
        clearTimeout(timer);
        reject(error);
      };
      this.#spawn();
    });
    // Whoever evaluates next sees the failure; nobody may be waiting now.
    this.#started.catch(() => {});
    return this.#started;
  }

  /** Answers a scenario, both as JSON text. */
  evaluate(scenario: string): Promise<string> {
    return this.#ask("evaluate", scenario);
  }

  /** Answers a question of somebody who writes, both as JSON text. */
  help(question: string): Promise<string> {
    return this.#ask("help", question);
  }

  async #ask(task: Task, request: string): Promise<string> {
    await this.start();
    const id = ++this.#lastId;
    const patience = this.#options.evaluationTimeout(request) * (this.#warm ? 1 : 2);
    const before = [...this.#waiting.values()].reduce((sum, waiting) => sum + waiting.patience, 0);
    return new Promise<string>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#fail(new EvaluationStopped(Math.round(patience / 1000))),
        before + patience,
      );
      this.#waiting.set(id, {
        patience,
        resolve: (answer) => {
          clearTimeout(timer);
          this.#warm = true;
          resolve(answer);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#worker?.postMessage({ type: task, id, request });
    });
  }

  /** Ends the worker, once it has answered; nothing may be asked any more. */
  end(): void {
    this.#ended = true;
    if (this.#waiting.size === 0) this.#worker?.terminate();
  }

  #spawn(): void {
    try {
      const worker = this.#options.spawn();
      this.#worker = worker;
      worker.onmessage = ({ data }) => this.#receive(data);
      worker.onerror = (event) => {
        this.#fail(new EngineFailed(event.message || "the engine's worker could not be loaded"));
      };
      const { module, runtime, packed } = this.#options;
      worker.postMessage({ type: "start", module, runtime, packed });
    } catch (error) {
      this.#fail(new EngineFailed(String(error)));
    }
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "phase":
        this.#options.onPhase(message.phase);
        break;
      case "ready":
        this.#options.onPhase("ready");
        this.#ready();
        break;
      case "answer":
        this.#waiting.get(message.id)?.resolve(message.answer);
        this.#waiting.delete(message.id);
        if (this.#ended && this.#waiting.size === 0) this.#worker?.terminate();
        break;
      case "failed":
        this.#fail(new EngineFailed(message.message));
        break;
    }
  }

  #fail(error: Error): void {
    const worker = this.#worker;
    if (worker) {
      worker.onmessage = null;
      worker.onerror = null;
      worker.terminate();
    }
    this.#worker = undefined;
    this.#started = undefined;
    this.#warm = false;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#failed(error);
    for (const { reject } of waiting) reject(error);
  }
}
