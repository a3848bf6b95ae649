import { describe, expect, test } from "vitest";
import type { Answer, View } from "../api.gen";
import { emptyScenario } from "../scenario";
import { Engine, type EngineState, type Evaluate, type OnServer, type EvaluationRequest } from "./engine";
import { processorShare, timeFor } from "./allowance";
import { EngineFailed, EvaluationStopped, type StopReason } from "./worker-client";

const request: EvaluationRequest = { scenario: { ...emptyScenario, crd: "a", object: "b" }, panels: ["outcome"], preliminary: false };
const answer: Answer = { findings: [], outputs: [], panels: { outcome: "x" } };
const good: Evaluate = () => Promise.resolve(answer);

/** Creates an engine that fails with each error in turn and then replies. */
function failing(...errors: Error[]): { evaluate: Evaluate; calls: View[] } {
  const calls: View[] = [];
  const evaluate: Evaluate = (view) => {
    calls.push(view);
    const error = errors.shift();
    return error ? Promise.reject(error) : good(view);
  };
  return { evaluate, calls };
}

/** Creates a server to which the user allows documents, or not. */
const server = (evaluate: Evaluate, isAllowed = true, holds: OnServer["holds"] = () => false): OnServer =>
  ({ evaluate, holds, isAllowed: () => isAllowed, releases: [] });

const crash = (wasUsed: boolean): EvaluationStopped => new EvaluationStopped("crash", 100, wasUsed);
const outOfMemory = (wasUsed: boolean): EvaluationStopped => new EvaluationStopped("memory", 100, wasUsed);
const tooSlow = (): EvaluationStopped => new EvaluationStopped("time", 12_000, true);

function setUp(evaluate: Evaluate | undefined, onServer: OnServer | undefined) {
  const states: EngineState[] = [];
  const engine = new Engine({
    inPage: evaluate && { evaluate },
    onServer,
    onState: (state) => states.push(state),
  });
  return { engine, states };
}

const answered = { type: "answer", by: "page", request, answer, judged: [] };
const byServer = { ...answered, by: "server" };
const stopped = (reason: StopReason) => ({ type: "stopped", request, reason, seconds: reason === "time" ? 12 : 0 });

describe("a scenario is evaluated", () => {
  test("in the page, with what of it is not a default", async () => {
    const { evaluate, calls } = failing();
    const { engine, states } = setUp(evaluate, undefined);
    expect(await engine.evaluate(request)).toEqual(answered);
    expect(calls).toEqual([{ scenario: { crd: "a", object: "b" }, panels: ["outcome"] }]);
    expect(states).toEqual([]);
  });

  test("in two stages if the first will do for now", async () => {
    const { evaluate, calls } = failing();
    const { engine } = setUp(evaluate, undefined);
    await engine.evaluate({ ...request, preliminary: true });
    expect(calls).toEqual([{ scenario: { crd: "a", object: "b" }, panels: ["outcome"], preliminary: true }]);
  });

  test("with what is published of the CRD to show that", async () => {
    const { evaluate, calls } = failing();
    const { engine } = setUp(evaluate, undefined);
    await engine.evaluate({ ...request, panels: ["schema"] });
    expect(calls).toEqual([{ scenario: { crd: "a", object: "b", schemas: true }, panels: ["schema"] }]);
  });

  test("again after one failed start", async () => {
    const { evaluate, calls } = failing(new EngineFailed("broken"));
    const { engine, states } = setUp(evaluate, server(good));
    expect(await engine.evaluate(request)).toEqual(answered);
    expect(calls).toHaveLength(2);
    expect(states).toEqual([]);
  });
});

describe("if the engine in the page does not start twice, a scenario", () => {
  const broken = (): { evaluate: Evaluate; calls: View[] } => failing(new EngineFailed("one"), new EngineFailed("two"));
  const sent = (): { evaluate: Evaluate; calls: View[] } => failing();

  test("goes to the server with the user's permission", async () => {
    const { evaluate, calls } = broken();
    const { engine, states } = setUp(evaluate, server(good));
    expect(await engine.evaluate(request)).toEqual(byServer);
    expect(await engine.evaluate(request)).toEqual(byServer);
    expect(calls).toHaveLength(2);
    expect(states).toEqual([{ at: "server", because: "two" }]);
  });

  test("is withheld without it", async () => {
    const { evaluate, calls } = sent();
    const { engine, states } = setUp(broken().evaluate, server(evaluate, false));
    expect(await engine.evaluate(request)).toEqual({ type: "withheld", request });
    expect(calls).toEqual([]);
    expect(states).toEqual([{ at: "withheld", because: "two" }]);
  });

  test("goes to the server without permission if the server has it already", async () => {
    const { evaluate, calls } = sent();
    const held = server(evaluate, false, (scenario) => scenario === request.scenario);
    const { engine } = setUp(broken().evaluate, held);
    expect(await engine.evaluate(request)).toEqual(byServer);
    const other = { ...request, scenario: { ...request.scenario, crd: "c" } };
    expect(await engine.evaluate(other)).toEqual({ type: "withheld", request: other });
    expect(calls).toHaveLength(1);
  });

  test("goes to the server once the user permits it", async () => {
    let isAllowed = false;
    const { engine, states } = setUp(undefined, { ...server(good), isAllowed: () => isAllowed });
    expect(await engine.evaluate(request)).toEqual({ type: "withheld", request });
    isAllowed = true;
    engine.permissionChanged();
    expect(await engine.evaluate(request)).toEqual(byServer);
    expect(states.map(({ at }) => at)).toEqual(["withheld", "server"]);
  });
});

describe("a stopped evaluation", () => {
  for (const [name, error] of [["a crash", crash], ["a lack of memory", outOfMemory]] as const) {
    test(`is repeated once after ${name} of a used worker`, async () => {
      const { evaluate, calls } = failing(error(true));
      const { engine, states } = setUp(evaluate, server(good));
      expect(await engine.evaluate(request)).toEqual(answered);
      expect(calls).toHaveLength(2);
      expect(states).toEqual([]);
    });

    test(`is not repeated after ${name} of a new worker`, async () => {
      const { evaluate, calls } = failing(error(false));
      const { engine } = setUp(evaluate, server(good));
      expect(await engine.evaluate(request)).toEqual(stopped(error(false).reason));
      expect(calls).toHaveLength(1);
    });
  }

  test("is not repeated after its time", async () => {
    const { evaluate, calls } = failing(tooSlow());
    const { engine } = setUp(evaluate, server(good));
    expect(await engine.evaluate(request)).toEqual(stopped("time"));
    expect(calls).toHaveLength(1);
  });

  test("leaves the next ones in the page, even after many", async () => {
    const { evaluate } = failing(tooSlow(), crash(false), outOfMemory(false), tooSlow());
    const { evaluate: onServer, calls } = failing();
    const { engine, states } = setUp(evaluate, server(onServer));
    for (const reason of ["time", "crash", "memory", "time"] as const) {
      expect(await engine.evaluate(request)).toEqual(stopped(reason));
    }
    expect(await engine.evaluate(request)).toEqual(answered);
    expect(calls).toEqual([]);
    expect(states).toEqual([]);
  });

  test("does not go to the server, even if the engine does not start again", async () => {
    const { evaluate } = failing(crash(true), new EngineFailed("one"), new EngineFailed("two"));
    const { evaluate: onServer, calls } = failing();
    const { engine, states } = setUp(evaluate, server(onServer));
    expect(await engine.evaluate(request)).toEqual(stopped("crash"));
    expect(await engine.evaluate(request)).toEqual(stopped("crash"));
    expect(calls).toEqual([]);
    expect(states).toEqual([{ at: "server", because: "two" }]);
    const other = { ...request, scenario: { ...request.scenario, crd: "c" } };
    expect(await engine.evaluate(other)).toEqual({ ...byServer, request: other });
  });
});

describe("a fault is told", () => {
  test("of the engine", async () => {
    const { engine } = setUp(() => Promise.resolve({ error: "it broke" }), undefined);
    expect(await engine.evaluate(request)).toEqual({ type: "fault", request, message: "it broke" });
  });

  test("of the server", async () => {
    const { engine } = setUp(undefined, server(() => Promise.reject(new Error("too busy"))));
    expect(await engine.evaluate(request)).toMatchObject({ type: "fault", message: "No result: too busy" });
  });

  test("when there is no engine at all", async () => {
    const { evaluate } = failing(new EngineFailed("one"), new EngineFailed("two"));
    const { engine, states } = setUp(evaluate, undefined);
    expect(await engine.evaluate(request)).toMatchObject({ type: "fault" });
    expect(states).toEqual([{ at: "nowhere", because: "two" }]);
  });
});

describe("a scenario of an older release", () => {
  const old: EvaluationRequest = { ...request, scenario: { ...request.scenario, kubernetes: "1.31" } };

  test("is evaluated by the server with the libraries of the release, if the user allows it", async () => {
    const { evaluate, calls } = failing();
    const onServer = { ...server(good), releases: ["1.31"] };
    const { engine } = setUp(evaluate, onServer);
    expect(await engine.evaluate(old)).toEqual({ ...byServer, request: old });
    expect(await engine.evaluate({ ...request, panels: ["releases"] })).toMatchObject({ type: "answer" });
    expect(calls).toEqual([]);
  });

  test.each([
    ["the user has not allowed it", { ...server(good, false), releases: ["1.31"] }],
    ["the server lacks the libraries", { ...server(good), releases: ["1.36"] }],
    ["the server fails", { ...server(() => Promise.reject(new Error("busy"))), releases: ["1.31"] }],
  ])("stays in the page if %s", async (_, onServer) => {
    const { evaluate, calls } = failing();
    const { engine } = setUp(evaluate, onServer);
    expect(await engine.evaluate(old)).toEqual({ ...answered, request: old });
    expect(calls).toHaveLength(1);
  });
});

describe("the time for an evaluation", () => {
  const crd = "kind: CustomResourceDefinition\n";

  test("is the same for each stage of a result", async () => {
    const patiences: number[] = [];
    const engine = new Engine({
      inPage: {
        evaluate: (_, patience) => {
          patiences.push(patience);
          return Promise.resolve({ ...answer, preliminary: true });
        },
      },
      onServer: undefined,
      onState: () => {},
    });
    const scenario = { ...emptyScenario, crd };
    for (let i = 0; i < 3; i++) await engine.evaluate({ ...request, scenario });
    const one = timeFor(scenario, false);
    expect(patiences).toEqual([one, one, one]);
  });

  test.each([
    ["a small scenario", "", false, 12_000],
    ["1 MB of documents", "x".repeat(1e6), false, 16_000],
    ["one of three CRDs", crd.repeat(3), false, 12_000],
    ["three CRDs at once", crd.repeat(3), true, 36_000],
    ["more CRDs than the engine evaluates", crd.repeat(40), true, 192_000],
  ])("of %s", (_, text, hasAllCRDs, expected) => {
    expect(Math.round(timeFor({ ...emptyScenario, crd: text }, hasAllCRDs) / 1000) * 1000).toBe(expected);
  });
});

describe("the share of a processor", () => {
  /** Creates a clock that advances by a step per reading, and by a pause after each 3 ms. */
  const clock = (step: number, pause: number): (() => number) => {
    let readings = 0;
    return () => ++readings * step + Math.floor((readings * step) / 3) * pause;
  };

  test.each([
    ["without pauses", clock(0.01, 0), 1],
    ["of a thread that pauses as long as it runs", clock(0.01, 3), 0.5],
    ["of a thread that mostly pauses", clock(0.01, 27), 0.1],
    ["with a coarse clock", clock(16, 0), 1],
  ])("%s", (_, now, expected) => {
    expect(Math.abs(processorShare(now) - expected)).toBeLessThan(0.1);
  });
});
