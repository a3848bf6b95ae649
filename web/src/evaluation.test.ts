import { describe, expect, test, vi } from "vitest";
import type { Answer, View } from "./api.gen";
import { emptyScenario } from "./scenario";
import type { Fault } from "./engine/protocol";
import { Engine } from "./engine/engine";
import { EvaluationStopped, type StopReason } from "./engine/worker-client";
import { noGoTypes } from "./engine/gotypes";
import { noPrograms } from "./engine/programs";
import { nothingGenerated } from "./engine/gotypes";
import { isPending, keepEvaluated, pause } from "./evaluation";
import { nowhere } from "./remote/source";
import { emptyConsole, Session } from "./session";

/** Creates a session whose engine replies on command, with each CRD as a finding. */
function setUp() {
  const session = new Session({
    scenario: { ...emptyScenario, crd: "a" },
    origin: "opened",
    typing: false,
    document: "object",
    beside: "crd",
    maximized: "",
    opened: [],
    panel: "outcome",
    field: undefined,
    theme: "system",
    answer: undefined,
    answered: undefined,
    engine: { at: "page" },
    evaluator: "page",
    permission: "undecided",
    question: false,
    online: true,
    programs: noPrograms,
    goTypes: noGoTypes,
    generated: nothingGenerated,
    judged: [],
    tested: undefined,
    mutations: undefined, plan: undefined,
    console: emptyConsole,
    source: nowhere,
    notice: "",
  });
  const asked: View[] = [];
  const replies: ((reply: Answer | Fault | Promise<never>) => void)[] = [];
  const engine = new Engine({
    inPage: {
      evaluate: (view) => {
        asked.push(view);
        return new Promise((resolve) => replies.push(resolve));
      },
    },
    onServer: undefined,
    onState: () => {},
  });
  keepEvaluated(session, engine, ["brief"]);
  const reply = async (special: Fault | { readonly preliminary?: true } = {}): Promise<void> => {
    await vi.waitFor(() => expect(replies).toHaveLength(1));
    const { scenario, panels } = asked.at(-1) ?? { scenario: {}, panels: [] };
    const stage = "preliminary" in special ? "perhaps " : "";
    const html = Object.fromEntries(panels.map((name) => [name, `${stage}${name} of ${scenario.crd}`]));
    replies.shift()?.("error" in special ? special : { findings: [], outputs: [], panels: html, ...special });
    await settled();
  };
  const stop = async (reason: StopReason): Promise<void> => {
    await vi.waitFor(() => expect(replies).toHaveLength(1));
    replies.shift()?.(Promise.reject(new EvaluationStopped(reason, 13_000, false)));
    await settled();
  };
  const requests = (): string[] => asked.map(({ scenario, panels }) => `${scenario.crd}: ${panels.join(" ")}`);
  const mayBePreliminary = (): boolean[] => asked.map(({ preliminary }) => preliminary ?? false);
  return { session, reply, stop, requests, mayBePreliminary };
}

const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));

describe("what is asked of the engine", () => {
  test("is the panel in sight, and another once that is looked at", async () => {
    const { session, reply, requests } = setUp();
    expect(isPending(session.state)).toBe(true);
    await reply();
    expect(isPending(session.state)).toBe(false);
    session.update({ panel: "rules" });
    expect(isPending(session.state)).toBe(true);
    await reply();
    session.update({ panel: "outcome" });
    expect(isPending(session.state)).toBe(false);
    await settled();
    expect(requests()).toEqual(["a: brief outcome", "a: rules"]);
    expect(session.state.answer?.panels).toEqual({ brief: "brief of a", outcome: "outcome of a", rules: "rules of a" });
  });

  test("is one request for all that changes in one go", async () => {
    const { session, reply, requests } = setUp();
    await reply();
    session.edit({ crd: "b" });
    session.edit({ object: "c" });
    session.update({ panel: "rules" });
    await reply();
    expect(requests()).toEqual(["a: brief outcome", "b: brief rules"]);
    expect(session.state.answer?.panels).toEqual({ brief: "brief of b", rules: "rules of b" });
  });

  test("is the newest scenario, once", async () => {
    const { session, reply, requests } = setUp();
    for (const crd of ["b", "c", "d"]) {
      session.edit({ crd });
      await settled();
    }
    await reply();
    expect(isPending(session.state)).toBe(true);
    await reply();
    expect(isPending(session.state)).toBe(false);
    expect(requests()).toEqual(["a: brief outcome", "d: brief outcome"]);
  });

  test("is the panel that came into sight while the engine worked", async () => {
    const { session, reply, requests } = setUp();
    session.update({ panel: "kubectl" });
    await settled();
    await reply();
    expect(isPending(session.state)).toBe(true);
    await reply();
    expect(isPending(session.state)).toBe(false);
    expect(requests()).toEqual(["a: brief outcome", "a: brief kubectl"]);
  });

  test("is the rest of a preliminary answer", async () => {
    const { session, reply, requests, mayBePreliminary } = setUp();
    await reply({ preliminary: true });
    expect(session.state.answer?.panels).toEqual({ brief: "perhaps brief of a", outcome: "perhaps outcome of a" });
    expect(session.state.answered).toBe(session.state.scenario);
    expect(isPending(session.state)).toBe(true);
    await reply();
    expect(session.state.answer?.panels).toEqual({ brief: "brief of a", outcome: "outcome of a" });
    expect(isPending(session.state)).toBe(false);
    expect(requests()).toEqual(["a: brief outcome", "a: brief outcome"]);
    expect(mayBePreliminary()).toEqual([true, false]);
  });

  test("is not the rest of a preliminary answer if the scenario changed", async () => {
    const { session, reply, requests, mayBePreliminary } = setUp();
    session.edit({ crd: "b" });
    await settled();
    await reply({ preliminary: true });
    await reply({ preliminary: true });
    await reply();
    expect(session.state.answer?.panels["outcome"]).toBe("outcome of b");
    expect(requests()).toEqual(["a: brief outcome", "b: brief outcome", "b: brief outcome"]);
    expect(mayBePreliminary()).toEqual([true, true, false]);
  });

  test("is all that is in sight if a panel is opened at a preliminary answer", async () => {
    const { session, reply, requests } = setUp();
    await reply({ preliminary: true });
    session.update({ panel: "rules" });
    await settled();
    await reply();
    await reply();
    expect(session.state.answer?.panels).toEqual({ brief: "brief of a", outcome: "outcome of a", rules: "rules of a" });
    expect(isPending(session.state)).toBe(false);
    expect(requests()).toEqual(["a: brief outcome", "a: brief outcome", "a: brief rules"]);
  });

  test("is the old scenario again if the new one was undone while the engine worked", async () => {
    const { session, reply, requests } = setUp();
    await reply();
    session.edit({ crd: "b" });
    await settled();
    session.edit({ crd: "a" });
    await settled();
    expect(isPending(session.state)).toBe(false);
    await reply();
    await reply();
    expect(isPending(session.state)).toBe(false);
    expect(session.state.answer?.panels["outcome"]).toBe("outcome of a");
    expect(requests()).toEqual(["a: brief outcome", "b: brief outcome", "a: brief outcome"]);
  });
});

test("a fault ends the wait, on every panel", async () => {
  const { session, reply } = setUp();
  session.update({ panel: "schema" });
  await reply({ error: "now: must be an RFC 3339 time" });
  await reply({ error: "now: must be an RFC 3339 time" });
  expect(session.state.notice).toBe("now: must be an RFC 3339 time");
  expect(isPending(session.state)).toBe(false);
});

describe("a stopped evaluation", () => {
  const withRule = { crd: "x-kubernetes-validations: [{rule: self}]" };
  test.each([
    ["time", {}, "stopped after 13 s. There is no verdict. The usual causes are large documents and a busy machine."],
    ["time", withRule, "The usual cause is a rule or a policy"],
    ["time", { admission: '{"expression": "true"}' }, "The usual cause is a rule or a policy"],
    ["memory", {}, "The usual cause is large documents."],
    ["memory", withRule, "The usual cause is a rule or a policy"],
    ["crash", withRule, "There is no verdict. Your documents are kept"],
  ] as const)("for %s names a cause that the scenario can have", async (reason, documents, expected) => {
    const { session, reply, stop } = setUp();
    await reply();
    session.edit({ crd: "b", ...documents });
    await stop(reason);
    expect(session.state.notice).toContain(expected);
    expect(session.state).toMatchObject({ answer: undefined, failed: true });
    expect(isPending(session.state)).toBe(false);
  });

  test("is repeated on request, and the answer ends the notice", async () => {
    const { session, reply, stop, requests } = setUp();
    await stop("time");
    session.update({ answered: undefined, notice: "", failed: false });
    expect(isPending(session.state)).toBe(true);
    await reply();
    expect(requests()).toEqual(["a: brief outcome", "a: brief outcome"]);
    expect(session.state).toMatchObject({ notice: "", failed: false, answer: { panels: { brief: "brief of a" } } });
  });
});

describe("while the user types", () => {
  test("answers are shown at once, and the end of typing is noted after a pause", async () => {
    const { session, reply } = setUp();
    await reply();
    session.edit({ crd: "b" }, "typed");
    await reply();
    expect(session.state.answer?.panels["brief"]).toBe("brief of b");
    expect(isPending(session.state)).toBe(false);
    expect(session.state.typing).toBe(true);
    await vi.waitFor(() => expect(session.state.typing).toBe(false), { timeout: 5 * pause });
  });

  test("nobody types if another scenario is opened", async () => {
    const { session, reply } = setUp();
    await reply();
    session.edit({ crd: "b" }, "typed");
    session.edit({ crd: "c" });
    expect(session.state.typing).toBe(false);
  });
});
