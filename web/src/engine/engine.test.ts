import { describe, expect, test } from "vitest";
import type { Answer, View } from "../api.gen";
import { emptyScenario } from "../scenario";
import { Engine, type EngineState, type Evaluate, type Question } from "./engine";
import { EngineFailed, EvaluationStopped } from "./worker-client";

const question: Question = { scenario: { ...emptyScenario, crd: "a", object: "b" }, panels: ["outcome"], preliminary: false };
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

function setUp(
  evaluate: Evaluate | undefined,
  onServer: Evaluate | undefined,
  complete: (first: View | undefined) => Promise<void> = () => Promise.reject(new Error("not asked for")),
) {
  const states: EngineState[] = [];
  const notices: string[] = [];
  const engine = new Engine({
    inPage: evaluate && { evaluate, complete },
    onServer,
    onState: (state) => states.push(state),
    onIncomplete: (because) => notices.push(because),
  });
  return { engine, states, notices };
}

const answered = { type: "answer", question, answer };
const stopped = { type: "stopped", question, seconds: 10 };

describe("a scenario is evaluated", () => {
  test("in the page, with what of it is not a default", async () => {
    const { evaluate, calls } = failing();
    const { engine, states } = setUp(evaluate, undefined);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(calls).toEqual([{ scenario: { crd: "a", object: "b" }, panels: ["outcome"] }]);
    expect(states).toEqual([]);
  });

  test("in two stages if the first will do for now", async () => {
    const { evaluate, calls } = failing();
    const { engine } = setUp(evaluate, undefined);
    await engine.evaluate({ ...question, preliminary: true });
    expect(calls).toEqual([{ scenario: { crd: "a", object: "b" }, panels: ["outcome"], preliminary: true }]);
  });

  test("with what is published of the CRD to show that", async () => {
    const { evaluate, calls } = failing();
    const { engine } = setUp(evaluate, undefined);
    await engine.evaluate({ ...question, panels: ["schema"] });
    expect(calls).toEqual([{ scenario: { crd: "a", object: "b", schemas: true }, panels: ["schema"] }]);
  });

  test("again after one breakdown", async () => {
    const { evaluate, calls } = failing(new EngineFailed("broken"));
    const { engine, states } = setUp(evaluate, good);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(calls).toHaveLength(2);
    expect(states).toEqual([]);
  });

  test("by the server after two breakdowns, and from then on", async () => {
    const { evaluate, calls } = failing(new EngineFailed("one"), new EngineFailed("two"));
    const { engine, states } = setUp(evaluate, good);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(calls).toHaveLength(2);
    expect(states).toEqual([{ at: "server", because: "two" }]);
  });

  test("by the server if the page has no engine", async () => {
    const { engine, states } = setUp(undefined, good);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(states).toHaveLength(1);
  });
});

describe("an evaluation that takes too long", () => {
  test("is stopped, and the next is tried in the page", async () => {
    const { evaluate } = failing(new EvaluationStopped(10));
    const { engine, states } = setUp(evaluate, good);
    expect(await engine.evaluate(question)).toEqual(stopped);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(states).toEqual([]);
  });

  test("twice in a row leaves the rest to the server", async () => {
    const { evaluate, calls } = failing(new EvaluationStopped(10), new EvaluationStopped(10));
    const { engine } = setUp(evaluate, good);
    expect(await engine.evaluate(question)).toEqual(stopped);
    expect(await engine.evaluate(question)).toEqual(stopped);
    expect(await engine.evaluate(question)).toEqual(answered);
    expect(calls).toHaveLength(2);
  });

  test("stays in the page where there is no server", async () => {
    const { evaluate } = failing(...Array.from({ length: 3 }, () => new EvaluationStopped(10)));
    const { engine } = setUp(evaluate, undefined);
    for (let i = 0; i < 3; i++) expect(await engine.evaluate(question)).toEqual(stopped);
    expect(await engine.evaluate(question)).toEqual(answered);
  });
});

describe("a fault is told", () => {
  test("of the engine", async () => {
    const { engine } = setUp(() => Promise.resolve({ error: "it broke" }), undefined);
    expect(await engine.evaluate(question)).toEqual({ type: "fault", question, message: "it broke" });
  });

  test("of the server", async () => {
    const { engine } = setUp(undefined, () => Promise.reject(new Error("too busy")));
    expect(await engine.evaluate(question)).toMatchObject({ type: "fault", message: "No result: too busy" });
  });

  test("when there is no engine at all", async () => {
    const { evaluate } = failing(new EngineFailed("one"), new EngineFailed("two"));
    const { engine, states } = setUp(evaluate, undefined);
    expect(await engine.evaluate(question)).toMatchObject({ type: "fault" });
    expect(states).toEqual([{ at: "nowhere", because: "two" }]);
  });
});

describe("an answer that lacks a part of the engine", () => {
  const lacking: Answer = { ...answer, missing: ["admission"] };
  const incomplete: Evaluate = () => Promise.resolve(lacking);

  test("is shown, and the rest is loaded once, and asked for all of the answer", async () => {
    const firsts: (View | undefined)[] = [];
    const { engine, states } = setUp(incomplete, undefined, (first) => Promise.resolve(void firsts.push(first)));
    const early = { ...question, preliminary: true };
    expect(await engine.evaluate(early)).toEqual({ type: "answer", question: early, answer: lacking });
    await engine.evaluate(question);
    expect(states).toEqual([{ at: "page", whole: true }]);
    expect(firsts).toEqual([{ scenario: { crd: "a", object: "b" }, panels: ["outcome"] }]);
  });

  test("has the rest loaded again if that failed", async () => {
    let loads = 0;
    const { engine, notices } = setUp(incomplete, undefined, () => Promise.reject(new Error(`offline ${++loads}`)));
    await engine.evaluate(question);
    await engine.evaluate(question);
    await Promise.resolve();
    expect(notices).toEqual(["offline 1", "offline 2"]);
  });
});
