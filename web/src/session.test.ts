import { expect, test, vi } from "vitest";
import { emptyScenario } from "./scenario";
import { nowhere } from "./remote/source";
import { emptyConsole, Session, type SessionState } from "./session";

const initial: SessionState = {
  scenario: { ...emptyScenario, crd: "a", object: "b" },
  document: "object",
  opened: [],
  panel: "outcome",
  theme: "system",
  answer: undefined,
  answered: undefined,
  engine: { at: "loading", phase: "downloading" },
  online: true,
  console: emptyConsole,
  source: nowhere,
  notice: "",
};

test("a change is told with what was before", () => {
  const session = new Session(initial);
  const listener = vi.fn();
  session.subscribe(listener);
  session.update({ panel: "rules" });
  expect(listener).toHaveBeenCalledExactlyOnceWith({ ...initial, panel: "rules" }, initial);
});

test("what does not change is not told", () => {
  const session = new Session(initial);
  const listener = vi.fn();
  session.subscribe(listener);
  session.update({ panel: "outcome", notice: "" });
  expect(listener).not.toHaveBeenCalled();
});

test("an edit keeps the rest of the scenario and makes a new one", () => {
  const session = new Session(initial);
  session.edit({ object: "c" });
  expect(session.state.scenario).toEqual({ ...emptyScenario, crd: "a", object: "c", fieldValidation: "Strict" });
  expect(initial.scenario.object).toBe("b");
});

test("who unsubscribed is not told", () => {
  const session = new Session(initial);
  const listener = vi.fn();
  session.subscribe(listener)();
  session.update({ panel: "rules" });
  expect(listener).not.toHaveBeenCalled();
});

test("a document opened has a tab until it is closed", () => {
  const session = new Session(initial);
  session.open("oldCrd");
  session.open("oldCrd");
  expect(session.state).toMatchObject({ document: "oldCrd", opened: ["oldCrd"] });
  session.close("oldCrd");
  expect(session.state).toMatchObject({ document: "object", opened: [] });
});
