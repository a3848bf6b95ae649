import { expect, test, vi } from "vitest";
import { emptyScenario } from "../scenario";
import { type Program, Programs, type ProgramsState } from "./programs";

const module = (name: string) => ({ module: name, packed: "", size: 1, download: 1 });
const scenario = { ...emptyScenario, crd: "a", kubernetes: "1.31" };

/** A worker whose start the test completes. */
class FakeProgram implements Program {
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
  const fakes: FakeProgram[] = [];
  const states: ProgramsState[] = [];
  const programs = new Programs({
    modules: { "1.31": module("first"), "1.32": module("second") },
    load: ({ module: name }) => {
      const program = new FakeProgram(name);
      fakes.push(program);
      return program;
    },
    request: ({ crd }) => Promise.resolve(crd),
    onState: (state) => states.push(state),
  });
  return { fakes, programs, last: () => states.at(-1) };
}

test("the program of the chosen release judges once it is ready", async () => {
  const { fakes, programs, last } = setUp();
  programs.choose("1.31");
  expect(last()).toMatchObject({ release: "1.31", at: "loading" });
  expect(await programs.judge(scenario)).toBeUndefined();
  fakes[0]?.ready();
  await vi.waitFor(() => expect(last()?.at).toBe("ready"));
  const judgments = await programs.judge(scenario);
  expect(judgments).toEqual({ "1.31": '{"library":"first","request":"a"}' });
  expect(programs.known({ ...scenario, kubernetes: "" })).toEqual(judgments);
  expect(programs.known({ ...scenario, crd: "b" })).toEqual({});
});

test("the choice of another release ends the module", () => {
  const { fakes, programs, last } = setUp();
  programs.choose("1.31");
  programs.choose("1.32");
  expect(fakes.map(({ name, stopped }) => [name, stopped])).toEqual([["first", true], ["second", false]]);
  programs.choose("1.30");
  expect(fakes[1]?.stopped).toBe(true);
  expect(last()).toMatchObject({ release: "", at: "nothing" });
  expect(fakes).toHaveLength(2);
});

test("one release after another judges a scenario", async () => {
  const { fakes, programs, last } = setUp();
  const done = programs.judgeAll(scenario);
  fakes[0]?.ready();
  await vi.waitFor(() => expect(fakes).toHaveLength(2));
  expect(fakes[0]?.stopped).toBe(true);
  expect(last()?.judged).toEqual(["1.31"]);
  fakes[1]?.ready();
  await done;
  expect(Object.keys(programs.known(scenario))).toEqual(["1.31", "1.32"]);
  expect(last()).toMatchObject({ release: "", all: false });
});

test("judging by all releases can be cancelled", async () => {
  const { fakes, programs, last } = setUp();
  const done = programs.judgeAll(scenario);
  programs.cancelAll();
  await done;
  expect(fakes).toHaveLength(1);
  expect(last()).toMatchObject({ release: "", all: false, judged: [] });
});

// A listener of the state ends the modules again.
test("without a module, nothing changes at the end", () => {
  const { programs, last } = setUp();
  programs.end();
  expect(last()).toBeUndefined();
  programs.choose("1.31");
  programs.end();
  const ended = last();
  programs.end();
  expect(last()).toBe(ended);
});
