import type { Answer, AssistResponse, AssistRequest, View } from "../api.gen";
import type { Fault, FromWorker, Phase, Reply, Request, ToWorker } from "./protocol";

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
   * Returns the time limit of a request, in ms, by its number of characters. The
   * first request after a start gets twice the limit.
   */
  readonly patience: (characters: number) => number;
  /** The time limit of the start, in ms. */
  readonly startTimeout: number;
}

/** The worker did not reply in time and was terminated. */
export class EvaluationStopped extends Error {
  constructor(readonly seconds: number) {
    super(`the evaluation took more than ${seconds} s`);
  }
}

/** The worker could not start, or crashed. */
export class EngineFailed extends Error {}

/** The worker was terminated because of another request; this one must be repeated. */
class Interrupted extends Error {}

interface Waiting {
  /** The time limit in ms, from the moment the worker begins. */
  readonly patience: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/**
 * One long-lived worker that handles one request after the other. After a failure,
 * the next request starts a new worker.
 */
export class WorkerClient {
  readonly #options: WorkerOptions;
  #worker: WorkerLike | undefined;
  #started: Promise<void> | undefined;
  #ready: () => void = () => {};
  #failed: (error: Error) => void = () => {};
  /** The pending requests by id. */
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** False before the first evaluation, which compiles much of the module. */
  #warm = false;
  #ended = false;
  #phase: Phase | "ready" = "downloading";
  #onPhase: (phase: Phase | "ready") => void = () => {};

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  /** Reports the phase of the start, now and after each change. */
  watch(onPhase: (phase: Phase | "ready") => void): void {
    this.#onPhase = onPhase;
    onPhase(this.#phase);
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
    // The next request reports the failure; there may be no pending request.
    this.#started.catch(() => {});
    return this.#started;
  }

  async evaluate(view: View): Promise<Answer | Fault> {
    return (await this.#ask({ type: "show", view }, charactersIn(view.scenario))) as Answer | Fault;
  }

  async help(question: AssistRequest): Promise<AssistResponse> {
    return (await this.#ask({ type: "help", question }, charactersIn(question))) as AssistResponse;
  }

  async #ask(request: Request, characters: number): Promise<Reply> {
    for (;;) {
      try {
        return await this.#post(request, characters);
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
      }
    }
  }

  async #post(request: Request, characters: number): Promise<Reply> {
    await this.start();
    const id = ++this.#lastId;
    const patience = this.#options.patience(characters) * (this.#warm ? 1 : 2);
    const before = [...this.#waiting.values()].reduce((sum, waiting) => sum + waiting.patience, 0);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.#stop(id, new EvaluationStopped(Math.round(patience / 1000))),
        before + patience,
      );
      this.#waiting.set(id, {
        patience,
        resolve: (reply) => {
          clearTimeout(timer);
          this.#warm = true;
          resolve(reply);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#worker?.postMessage({ type: "ask", id, request });
    });
  }

  /** Terminates the worker after its last reply. No request may follow. */
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
        this.#enter(message.phase);
        break;
      case "ready":
        this.#enter("ready");
        this.#ready();
        break;
      case "reply":
        this.#waiting.get(message.id)?.resolve(message.reply);
        this.#waiting.delete(message.id);
        if (this.#ended && this.#waiting.size === 0) this.#worker?.terminate();
        break;
      case "failed":
        this.#fail(new EngineFailed(message.message));
        break;
    }
  }

  #enter(phase: Phase | "ready"): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#onPhase(phase);
  }

  /** Terminates the worker because of one request; the others are repeated. */
  #stop(id: number, error: Error): void {
    const culprit = this.#waiting.get(id);
    this.#waiting.delete(id);
    culprit?.reject(error);
    this.#fail(new Interrupted());
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

/** Counts the characters of all strings in a value. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((sum: number, part) => sum + charactersIn(part), 0);
}
