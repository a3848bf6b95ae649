import type { Answer, AssistResponse, AssistRequest, View } from "../api.gen";
import { coldStart, countEvery, Meter } from "./allowance";
import type { Fault, FromWorker, Judgments, Phase, Reply, Request, ToWorker } from "./protocol";

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
  /** The size of the module in bytes, for reports about its download. */
  readonly size?: number;
  /** Receives the downloaded part of the module, 0 to 1. */
  readonly onPart?: (part: number) => void;
  /** The time limit of the start, in ms. */
  readonly startTimeout: number;
  /** Returns the part of the time for which a thread has a processor, 0 to 1. */
  readonly share?: () => number;
}

/** The reason why a request ended without a reply. */
export type StopReason = "time" | "memory" | "crash";

/** The request ended without a reply, and its worker was terminated. */
export class EvaluationStopped extends Error {
  constructor(
    readonly reason: StopReason,
    /** The time until the end, in ms. */
    readonly took: number,
    /** True if the worker had replied to other requests, whose memory it may still hold. */
    readonly wasUsed: boolean,
  ) {
    super(`the evaluation was stopped: ${reason}`);
  }
}

/** The worker could not start. */
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
  /** The time when the worker began with the oldest pending request. */
  #began = 0;
  /** The time of the oldest pending request. */
  readonly #meter: Meter;
  #counting: ReturnType<typeof setInterval> | undefined;
  /** True after the worker's first reply. */
  #used = false;
  #phase: Phase | "ready" = "downloading";
  #onPhase: (phase: Phase | "ready") => void = () => {};

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#meter = new Meter(options.share);
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

  /**
   * Evaluates a view, perhaps with judgments. The patience is the time limit in ms, without
   * the time for a cold start.
   */
  async evaluate(view: View, patience: number, judgments?: Judgments): Promise<Answer | Fault> {
    return (await this.#ask({ type: "show", view, judgments }, patience)) as Answer | Fault;
  }

  /** Returns the request for the judgments of older releases on a view. */
  async request(view: View, patience: number): Promise<string> {
    const reply = (await this.#ask({ type: "request", view }, patience)) as string;
    const request: unknown = JSON.parse(reply);
    if (typeof request === "object" && request !== null && "error" in request) throw new Error(String(request.error));
    return reply;
  }

  /** Returns the judgment of an program of an older release, as JSON. */
  async judge(request: string, patience: number): Promise<string> {
    return (await this.#ask({ type: "judge", request }, patience)) as string;
  }

  async assist(request: AssistRequest, patience: number): Promise<AssistResponse> {
    return (await this.#ask({ type: "assist", request }, patience)) as AssistResponse;
  }

  async #ask(request: Request, patience: number): Promise<Reply> {
    for (;;) {
      try {
        return await this.#post(request, patience);
      } catch (error) {
        if (!(error instanceof Interrupted)) throw error;
      }
    }
  }

  async #post(request: Request, patience: number): Promise<Reply> {
    await this.start();
    const id = ++this.#lastId;
    if (this.#waiting.size === 0) this.#begin();
    this.#counting ??= setInterval(() => this.#count(), countEvery);
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { patience, resolve, reject });
      this.#worker?.postMessage({ type: "ask", id, request });
    });
  }

  /** Stops the oldest request after its time. */
  #count(): void {
    const [oldest] = this.#waiting;
    if (!oldest) return;
    const [id, { patience }] = oldest;
    const limit = this.#used ? patience : patience + coldStart;
    if (this.#meter.count() >= limit) this.#stop(id, "time");
  }

  /** Permits the worker to repeat evaluations while it is idle, or stops them. */
  permitRepetitions(arePermitted: boolean): void {
    this.#worker?.postMessage({ type: "repetitions", arePermitted });
  }

  /** Terminates the worker. Its requests fail. */
  stop(): void {
    this.#fail(new EngineFailed("the worker is no longer needed"));
  }

  #spawn(): void {
    try {
      const worker = this.#options.spawn();
      this.#worker = worker;
      worker.onmessage = ({ data }) => this.#receive(data);
      worker.onerror = (event) => {
        this.#crash({ message: event.message || "the engine's worker could not be loaded", outOfMemory: false });
      };
      const { module, runtime, packed, size = 0 } = this.#options;
      worker.postMessage({ type: "start", module, runtime, packed, size });
    } catch (error) {
      this.#fail(new EngineFailed(String(error)));
    }
  }

  #receive(message: FromWorker): void {
    switch (message.type) {
      case "phase":
        this.#enter(message.phase);
        break;
      case "progress":
        this.#options.onPart?.(message.part);
        break;
      case "ready":
        this.#enter("ready");
        this.#ready();
        break;
      case "reply":
        this.#settle(message.id, message.reply);
        break;
      case "failed":
        this.#crash(message);
        break;
    }
  }

  #settle(id: number, reply: Reply): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    this.#used = true;
    this.#begin();
    if (this.#waiting.size === 0) this.#endCounting();
    waiting.resolve(reply);
  }

  /** Begins the time of the oldest pending request. */
  #begin(): void {
    this.#began = performance.now();
    this.#meter.restart();
  }

  #endCounting(): void {
    clearInterval(this.#counting);
    this.#counting = undefined;
  }

  #enter(phase: Phase | "ready"): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#onPhase(phase);
  }

  /** Terminates the worker because of one request; the others are repeated. */
  #stop(id: number, reason: StopReason): void {
    const culprit = this.#waiting.get(id);
    this.#waiting.delete(id);
    culprit?.reject(new EvaluationStopped(reason, performance.now() - this.#began, this.#used));
    this.#fail(new Interrupted());
  }

  /** Handles the end of the engine, during its start or at the oldest request. */
  #crash({ message, outOfMemory }: { readonly message: string; readonly outOfMemory: boolean }): void {
    const [oldest] = this.#waiting.keys();
    if (oldest === undefined) this.#fail(new EngineFailed(message));
    else this.#stop(oldest, outOfMemory ? "memory" : "crash");
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
    this.#used = false;
    this.#endCounting();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#failed(error);
    for (const { reject } of waiting) reject(error);
  }
}
