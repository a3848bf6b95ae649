import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FromWorker, ToWorker } from "./protocol";
import { EngineFailed, EvaluationStopped, WorkerClient, type WorkerLike } from "./worker-client";

class FakeWorker implements WorkerLike {
  readonly received: ToWorker[] = [];
  ended = false;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;

  postMessage(message: ToWorker): void {
    this.received.push(message);
  }

  terminate(): void {
    this.ended = true;
  }

  send(data: FromWorker): void {
    this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }

  /** The id of the last evaluation asked for. */
  get id(): number {
    const last = this.received.findLast((message) => message.type === "evaluate");
    return last?.type === "evaluate" ? last.id : -1;
  }
}

function setUp() {
  const workers: FakeWorker[] = [];
  const phases: string[] = [];
  const client = new WorkerClient({
    spawn: () => {
      const worker = new FakeWorker();
      workers.push(worker);
      return worker;
    },
    module: "engine.wasm",
    runtime: "wasm_exec.js",
    packed: "",
    evaluationTimeout: (scenario) => 5_000 + scenario.length,
    startTimeout: 60_000,
    onPhase: (phase) => phases.push(phase),
  });
  return { workers, phases, client };
}

const tick = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the worker", () => {
  test("is started once and tells its phases", async () => {
    const { workers, phases, client } = setUp();
    void client.start();
    const answer = client.evaluate("{}");
    expect(workers).toHaveLength(1);
    expect(workers[0]?.received).toEqual([
      { type: "start", module: "engine.wasm", runtime: "wasm_exec.js", packed: "" },
    ]);
    workers[0]?.send({ type: "phase", phase: "downloading" });
    workers[0]?.send({ type: "ready" });
    await tick();
    expect(phases).toEqual(["downloading", "ready"]);
    expect(workers[0]?.received[1]).toEqual({ type: "evaluate", id: 1, request: "{}" });
    workers[0]?.send({ type: "answer", id: 1, answer: "A" });
    expect(await answer).toBe("A");
  });

  test("answers only what was asked last", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate("{}");
    workers[0]?.send({ type: "ready" });
    await tick();
    const worker = workers[0]!;
    worker.send({ type: "answer", id: worker.id + 1, answer: "other" });
    worker.send({ type: "answer", id: worker.id, answer: "right" });
    expect(await answer).toBe("right");
  });

  test("that runs away is ended, and the next evaluation has a fresh one", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate("{}");
    const stopped = expect(answer).rejects.toEqual(new EvaluationStopped(10));
    workers[0]?.send({ type: "ready" });
    await vi.advanceTimersByTimeAsync(10_003);
    expect(workers[0]?.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(workers[0]?.ended).toBe(true);
    const next = client.evaluate("{}");
    expect(workers).toHaveLength(2);
    workers[1]?.send({ type: "ready" });
    await tick();
    workers[1]?.send({ type: "answer", id: workers[1].id, answer: "B" });
    expect(await next).toBe("B");
  });

  test("is given half the time once it is warm, and more for more text", async () => {
    const { workers, client } = setUp();
    const first = client.evaluate("{}");
    workers[0]?.send({ type: "ready" });
    await tick();
    workers[0]?.send({ type: "answer", id: workers[0].id, answer: "A" });
    await first;
    const stopped = expect(client.evaluate("x".repeat(1000))).rejects.toEqual(new EvaluationStopped(6));
    await vi.advanceTimersByTimeAsync(5_999);
    expect(workers[0]?.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
  });

  test("has its download out of the time of the evaluation", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate("{}");
    await vi.advanceTimersByTimeAsync(30_000);
    workers[0]?.send({ type: "ready" });
    await tick();
    workers[0]?.send({ type: "answer", id: workers[0].id, answer: "A" });
    expect(await answer).toBe("A");
  });

  for (const [name, breakIt] of Object.entries({
    "cannot start": (worker: FakeWorker) => worker.send({ type: "failed", message: "404" }),
    "cannot be loaded": (worker: FakeWorker) => worker.onerror?.({ message: "" } as ErrorEvent),
    "does not start in time": () => void vi.advanceTimersByTime(60_000),
  })) {
    test(`that ${name} fails the evaluation`, async () => {
      const { workers, client } = setUp();
      const answer = client.evaluate("{}");
      const failed = expect(answer).rejects.toBeInstanceOf(EngineFailed);
      breakIt(workers[0]!);
      await failed;
      expect(workers[0]?.ended).toBe(true);
    });
  }

  test("that breaks down while it evaluates fails the evaluation", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate("{}");
    workers[0]?.send({ type: "ready" });
    await tick();
    const failed = expect(answer).rejects.toThrow("the engine ended");
    workers[0]?.send({ type: "failed", message: "the engine ended" });
    await failed;
  });

  test("that is no longer needed ends once it has answered", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate("{}");
    workers[0]?.send({ type: "ready" });
    await tick();
    client.end();
    expect(workers[0]?.ended).toBe(false);
    workers[0]?.send({ type: "answer", id: workers[0].id, answer: "A" });
    expect(await answer).toBe("A");
    expect(workers[0]?.ended).toBe(true);
  });
});
