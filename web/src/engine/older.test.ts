import { expect, test, vi } from "vitest";
import { emptyScenario } from "../scenario";
import { type Judge, Older, type OlderState } from "./older";

const module = (name: string) => ({ module: name, packed: "", size: 1, download: 1 });
const scenario = { ...emptyScenario, crd: "a", kubernetes: "1.31" };

/** A worker whose start the test completes. */
class FakeJudge implements Judge {
  stopped = false;
  ready: () => void = () => {};
  #fail: (error: Error) => void = () => {};

  constructor(readonly name: string) {}

  start(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.ready = resolve;
      this.#fail = reject;
    });
  }

  judge(request: string): Promise<string> {
    return Promise.resolve(JSON.stringify({ library: this.name, request }));
  }

  stop(): void {
    this.stopped = true;
    this.#fail(new Error("stopped"));
  }
}

function setUp() {
  const judges: FakeJudge[] = [];
  const states: OlderState[] = [];
  const older = new Older({
    modules: { "1.31": module("first"), "1.32": module("second") },
    load: ({ module: name }) => {
      const judge = new FakeJudge(name);
      judges.push(judge);
      return judge;
    },
    request: ({ crd }) => Promise.resolve(crd),
    onState: (state) => states.push(state),
  });
  return { judges, older, last: () => states.at(-1) };
}

test("the module of the chosen release judges once it is ready", async () => {
  const { judges, older, last } = setUp();
  older.choose("1.31");
  expect(last()).toMatchObject({ release: "1.31", at: "loading" });
  expect(await older.judge(scenario)).toBeUndefined();
  judges[0]?.ready();
  await vi.waitFor(() => expect(last()?.at).toBe("ready"));
  const judgments = await older.judge(scenario);
  expect(judgments).toEqual({ "1.31": '{"library":"first","request":"a"}' });
  expect(older.known({ ...scenario, kubernetes: "" })).toEqual(judgments);
  expect(older.known({ ...scenario, crd: "b" })).toEqual({});
});

test("the choice of another release ends the module", () => {
  const { judges, older, last } = setUp();
  older.choose("1.31");
  older.choose("1.32");
  expect(judges.map(({ name, stopped }) => [name, stopped])).toEqual([["first", true], ["second", false]]);
  older.choose("1.30");
  expect(judges[1]?.stopped).toBe(true);
  expect(last()).toMatchObject({ release: "", at: "nothing" });
  expect(judges).toHaveLength(2);
});

test("one release after another judges a scenario", async () => {
  const { judges, older, last } = setUp();
  const done = older.judgeAll(scenario);
  judges[0]?.ready();
  await vi.waitFor(() => expect(judges).toHaveLength(2));
  expect(judges[0]?.stopped).toBe(true);
  expect(last()?.judged).toEqual(["1.31"]);
  judges[1]?.ready();
  await done;
  expect(Object.keys(older.known(scenario))).toEqual(["1.31", "1.32"]);
  expect(last()).toMatchObject({ release: "", all: false });
});

test("judging by all releases can be cancelled", async () => {
  const { judges, older, last } = setUp();
  const done = older.judgeAll(scenario);
  older.cancelAll();
  await done;
  expect(judges).toHaveLength(1);
  expect(last()).toMatchObject({ release: "", all: false, judged: [] });
});

// A listener of the state ends the modules again.
test("without a module, nothing changes at the end", () => {
  const { older, last } = setUp();
  older.end();
  expect(last()).toBeUndefined();
  older.choose("1.31");
  older.end();
  const ended = last();
  older.end();
  expect(last()).toBe(ended);
});
