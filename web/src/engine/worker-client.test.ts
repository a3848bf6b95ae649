import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Answer, View } from "../api.gen";
import type { FromWorker, ToWorker } from "./protocol";
import { EngineFailed, EvaluationStopped, WorkerClient, type WorkerLike } from "./worker-client";

const viewOf = (crd: string): View => ({ scenario: { crd }, panels: [] });
const view = viewOf("");
const answerOf = (outcome: string): Answer => ({ findings: [], outputs: [], panels: { outcome } });

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

  /** The id of the last request. */
  get id(): number {
    const last = this.received.findLast((message) => message.type === "ask");
    return last?.type === "ask" ? last.id : -1;
  }
}

function setUp(share = 1) {
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
    startTimeout: 60_000,
    share: () => share,
  });
  client.watch((phase) => phases.push(phase));
  return { workers, phases, client };
}

const tick = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("the worker", () => {
  test("is started once and tells its phases", async () => {
    const { workers, phases, client } = setUp();
    void client.start();
    const answer = client.evaluate(view, 10_000);
    expect(workers).toHaveLength(1);
    expect(workers[0]?.received).toEqual([
      { type: "start", module: "engine.wasm", runtime: "wasm_exec.js", packed: "", size: 0 },
    ]);
    workers[0]?.send({ type: "phase", phase: "downloading" });
    workers[0]?.send({ type: "phase", phase: "starting" });
    workers[0]?.send({ type: "ready" });
    await tick();
    expect(phases).toEqual(["downloading", "starting", "ready"]);
    expect(workers[0]?.received[1]).toEqual({ type: "ask", id: 1, request: { type: "show", view } });
    workers[0]?.send({ type: "reply", id: 1, reply: answerOf("A"), memory: 1 << 20 });
    expect(await answer).toEqual(answerOf("A"));
  });

  test("answers only what was asked last", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate(view, 10_000);
    workers[0]?.send({ type: "ready" });
    await tick();
    const worker = workers[0]!;
    worker.send({ type: "reply", id: worker.id + 1, reply: answerOf("other"), memory: 1 << 20 });
    worker.send({ type: "reply", id: worker.id, reply: answerOf("right"), memory: 1 << 20 });
    expect(await answer).toEqual(answerOf("right"));
  });

  test("that runs away is ended, and the next evaluation has a fresh one", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate(view, 10_000);
    const stopped = expect(answer).rejects.toEqual(new EvaluationStopped("time", 18_000, false));
    workers[0]?.send({ type: "ready" });
    await vi.advanceTimersByTimeAsync(17_999);
    expect(workers[0]?.ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await stopped;
    expect(workers[0]?.ended).toBe(true);
    const next = client.evaluate(view, 10_000);
    expect(workers).toHaveLength(2);
    workers[1]?.send({ type: "ready" });
    await tick();
    workers[1]?.send({ type: "reply", id: workers[1].id, reply: answerOf("B"), memory: 1 << 20 });
    expect(await next).toEqual(answerOf("B"));
  });

  test("that is ended because of one request answers those behind it afresh", async () => {
    const { workers, client } = setUp();
    const stopped = expect(client.assist({ format: { text: "" } }, 10_000)).rejects.toEqual(new EvaluationStopped("time", 18_000, false));
    const answer = client.evaluate(view, 10_000);
    workers[0]?.send({ type: "ready" });
    await vi.advanceTimersByTimeAsync(18_000);
    await stopped;
    expect(workers[0]?.ended).toBe(true);
    expect(workers).toHaveLength(2);
    workers[1]?.send({ type: "ready" });
    await tick();
    workers[1]?.send({ type: "reply", id: workers[1].id, reply: answerOf("A"), memory: 1 << 20 });
    expect(await answer).toEqual(answerOf("A"));
  });

  test("has no more time for a cold start after its first reply", async () => {
    const { workers, client } = setUp();
    const first = client.evaluate(view, 10_000);
    workers[0]?.send({ type: "ready" });
    await vi.advanceTimersByTimeAsync(15_000);
    workers[0]?.send({ type: "reply", id: workers[0].id, reply: answerOf("A"), memory: 1 << 20 });
    expect(await first).toEqual(answerOf("A"));
    const stopped = expect(client.evaluate(view, 10_000)).rejects.toEqual(new EvaluationStopped("time", 10_000, true));
    await vi.advanceTimersByTimeAsync(10_000);
    await stopped;
  });

  for (const [share, seconds] of [[0.5, 36], [0, 54]] as const) {
    test(`that gets ${share} of the time of a busy machine is ended after ${seconds} s`, async () => {
      const { workers, client } = setUp(share);
      const stopped = expect(client.evaluate(view, 10_000)).rejects.toEqual(new EvaluationStopped("time", seconds * 1000, false));
      workers[0]?.send({ type: "ready" });
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(workers[0]?.ended).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      await stopped;
    });
  }

  test("has its download out of the time of the evaluation", async () => {
    const { workers, client } = setUp();
    const answer = client.evaluate(view, 10_000);
    await vi.advanceTimersByTimeAsync(30_000);
    workers[0]?.send({ type: "ready" });
    await tick();
    workers[0]?.send({ type: "reply", id: workers[0].id, reply: answerOf("A"), memory: 1 << 20 });
    expect(await answer).toEqual(answerOf("A"));
  });

  for (const [name, breakIt] of Object.entries({
    "cannot start": (worker: FakeWorker) => worker.send({ type: "failed", message: "404", outOfMemory: false }),
    "cannot be loaded": (worker: FakeWorker) => worker.onerror?.({ message: "" } as ErrorEvent),
    "does not start in time": () => void vi.advanceTimersByTime(60_000),
  })) {
    test(`that ${name} fails the evaluation`, async () => {
      const { workers, client } = setUp();
      const answer = client.evaluate(view, 10_000);
      const failed = expect(answer).rejects.toBeInstanceOf(EngineFailed);
      breakIt(workers[0]!);
      await failed;
      expect(workers[0]?.ended).toBe(true);
    });
  }

  for (const [outOfMemory, reason] of [[false, "crash"], [true, "memory"]] as const) {
    test(`that ends for ${reason} stops the oldest request, and repeats the others`, async () => {
      const { workers, client } = setUp();
      const first = client.evaluate(view, 10_000);
      workers[0]?.send({ type: "ready" });
      await tick();
      workers[0]?.send({ type: "reply", id: workers[0].id, reply: answerOf("A"), memory: 1 << 20 });
      await first;
      const stopped = expect(client.evaluate(viewOf("b"), 10_000)).rejects.toEqual(new EvaluationStopped(reason, 3000, true));
      const answer = client.evaluate(viewOf("c"), 10_000);
      await vi.advanceTimersByTimeAsync(3000);
      workers[0]?.send({ type: "failed", message: "the engine ended", outOfMemory });
      await stopped;
      expect(workers).toHaveLength(2);
      workers[1]?.send({ type: "ready" });
      await tick();
      expect(workers[1]?.received[1]).toMatchObject({ request: { view: viewOf("c") } });
      workers[1]?.send({ type: "reply", id: workers[1].id, reply: answerOf("C"), memory: 1 << 20 });
      expect(await answer).toEqual(answerOf("C"));
    });
  }
});
