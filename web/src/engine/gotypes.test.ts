import { expect, test } from "vitest";
import { GoTypes, type GoTypesState } from "./gotypes";
import type { FromWorker, ToWorker } from "./protocol";
import { EvaluationStopped, WorkerClient, type WorkerLike } from "./worker-client";

/** A worker whose module copies the source; "crash" ends it. */
class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;

  constructor(readonly asked: string[], readonly starts: boolean) {}

  postMessage(message: ToWorker): void {
    if (message.type === "start") {
      this.#post({ type: "progress", part: 0.5 });
      this.#post(this.starts ? { type: "ready" } : { type: "failed", message: "no module", outOfMemory: false });
    }
    if (message.type !== "ask" || message.request.type !== "assist") return;
    const { request } = message.request;
    const text = "generate" in request ? request.generate.text : "";
    this.asked.push(text);
    if (text === "crash") this.#post({ type: "failed", message: "ended", outOfMemory: false });
    else if (text === "fault") this.#post({ type: "reply", id: message.id, reply: { error: "the engine failed" }, memory: 0 });
    else this.#post({ type: "reply", id: message.id, reply: { generate: { crds: text, problems: [], origins: [] } }, memory: 0 });
  }

  terminate(): void {}

  #post(data: FromWorker): void {
    queueMicrotask(() => this.onmessage?.({ data } as MessageEvent<FromWorker>));
  }
}

function setUp(starts: () => boolean = () => true) {
  const asked: string[] = [];
  const states: GoTypesState[] = [];
  let workers = 0;
  const goTypes = new GoTypes({
    load: (onPart) => new WorkerClient({
      spawn: () => {
        workers++;
        return new FakeWorker(asked, starts());
      },
      module: "m", runtime: "r", packed: "", size: 1, onPart, startTimeout: 1000,
    }),
    onState: (state) => states.push(state),
  });
  const generate = async (text: string) => (await goTypes.generate({ text }))?.crds;
  return { asked, states, goTypes, generate, workers: () => workers };
}

test("the module is loaded on first use, with progress", async () => {
  const { states, generate, workers } = setUp();
  expect(workers()).toBe(0);
  expect(await generate("a")).toBe("a");
  expect(await generate("b")).toBe("b");
  expect(workers()).toBe(1);
  expect(states.map(({ at, part }) => [at, part])).toEqual([["loading", 0], ["loading", 0.5], ["ready", 1]]);
});

test("the newest text wins", async () => {
  const { asked, generate } = setUp();
  expect(await Promise.all(["a", "b", "c"].map(generate))).toEqual(["a", undefined, "c"]);
  expect(asked).toEqual(["a", "c"]);
});

test("a crash ends one generation only", async () => {
  const { generate, workers } = setUp();
  await expect(generate("crash")).rejects.toBeInstanceOf(EvaluationStopped);
  expect(await generate("a")).toBe("a");
  await expect(generate("fault")).rejects.toThrow("the engine failed");
  expect(workers()).toBe(2);
});

test("a failed download is a state, and is repeated", async () => {
  let starts = false;
  const { states, generate, goTypes } = setUp(() => starts);
  await goTypes.load();
  expect(states.at(-1)).toEqual({ at: "failed", part: 0, because: "no module" });
  await expect(generate("a")).rejects.toThrow("no module");
  starts = true;
  expect(await generate("a")).toBe("a");
  expect(states.at(-1)?.at).toBe("ready");
});
