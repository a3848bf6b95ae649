import { expect, test, vi } from "vitest";
import { emptyScenario } from "./scenario";
import { noGoTypes } from "./engine/gotypes";
import { noPrograms } from "./engine/programs";
import { nothingGenerated } from "./engine/gotypes";
import { nowhere } from "./remote/source";
import { emptyConsole, Session, type SessionState } from "./session";

const initial: SessionState = {
  scenario: { ...emptyScenario, crd: "a", object: "b" },
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
  engine: { at: "loading", phase: "downloading" },
  evaluator: "page",
  permission: "undecided",
  question: false,
  programs: noPrograms,
  goTypes: noGoTypes,
  generated: nothingGenerated,
  judged: [],
  tested: undefined,
  mutations: undefined, plan: undefined,
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
  expect(session.state).toMatchObject({ document: "oldCrd", beside: "object", opened: ["oldCrd"] });
  session.close("oldCrd");
  expect(session.state).toMatchObject({ document: "crd", beside: "object", opened: [] });
});

test("a document closed with its text is opened again with it", () => {
  const session = new Session(initial);
  session.edit({ admission: "kind: A" });
  session.close("admission");
  expect(session.state).toMatchObject({ scenario: { admission: "" }, closed: { name: "admission", text: "kind: A" } });
  session.reopen();
  expect(session.state).toMatchObject({ scenario: { admission: "kind: A" }, document: "admission", closed: undefined });
  session.close("admission");
  session.edit({ crd: "b" });
  expect(session.state.closed).toBeUndefined();
});

test("a document is shown beside the last one of the other pane", () => {
  const session = new Session(initial);
  session.open("conversion");
  session.open("admission");
  expect(session.state).toMatchObject({ document: "admission", beside: "conversion" });
  session.close("conversion");
  expect(session.state).toMatchObject({ document: "admission", beside: "crd" });
});

test("a scenario without another origin was opened", () => {
  const session = new Session(initial);
  session.edit({ crd: "b" }, "typed");
  expect(session.state.origin).toBe("typed");
  session.update({ scenario: initial.scenario });
  expect(session.state.origin).toBe("opened");
});

test("what an example presets leaves with its CRD", () => {
  const crdOf = (name: string): string => `metadata:\n  name: ${name}.example.com\nspec:\n  group: example.com\n  names:\n    plural: ${name}\n`;
  const example = { ...emptyScenario, crd: crdOf("as"), object: "kind: A", fieldValidation: "Warn" as const };
  const session = new Session(initial, (scenario) => (scenario.crd === example.crd && scenario.object === example.object ? example : undefined));
  const listener = vi.fn();
  session.update({ scenario: example });
  session.subscribe(listener);
  session.edit({ crd: crdOf("bs") });
  expect(session.state.scenario).toEqual({ ...emptyScenario, crd: crdOf("bs") });
  session.edit({ crd: example.crd });
  expect(session.state.scenario).toEqual(example);
  expect(listener).toHaveBeenCalledTimes(2);
});
