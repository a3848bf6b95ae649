import { expect, test } from "vitest";
import { emptyScenario, sameScenario, type Scenario } from "./scenario";
import { type Followed, followExample, isOther, type Preset, replaceDocuments } from "./own";

const crdOf = (name: string): string => `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}\n`;
const example: Scenario = { ...emptyScenario, crd: crdOf("a.example.com"), object: "kind: A", fieldValidation: "Warn", operation: "update", kubernetes: "1.31" };
const isExample = (name: keyof Scenario, text: string): boolean => text !== "" && example[name] === text;
const preset: Preset = { scenario: example, chosen: [] };
const replaced = (scenario: Scenario, change: Partial<Scenario>, begun?: Preset): Scenario =>
  replaceDocuments({ scenario, origin: "opened", example: begun }, change, isExample);

test("an own CRD replaces an example's documents and options", () => {
  expect(replaced(example, { crd: crdOf("b.example.com") })).toEqual({ ...emptyScenario, crd: crdOf("b.example.com") });
});

test("an own CRD of the example's name does, too", () => {
  const own = `${crdOf("a.example.com")}spec: {}\n`;
  expect(replaced(example, { crd: own })).toEqual({ ...emptyScenario, crd: own });
});

test("documents that the user wrote stay beside another CRD", () => {
  const before = { ...example, crd: crdOf("b.example.com"), object: "kind: B" };
  const change = { crd: crdOf("c.example.com") };
  expect(replaced(before, change)).toEqual({ ...emptyScenario, ...change, object: "kind: B" });
});

test("the same CRD, edited elsewhere, keeps the options", () => {
  const before = { ...example, crd: crdOf("b.example.com"), object: "kind: B" };
  const crd = `${before.crd}spec: {}\n`;
  expect(replaced(before, { crd })).toEqual({ ...before, crd });
});

test("the first CRD keeps the options, unless they are an example's", () => {
  const before = { ...example, crd: "", object: "kind: B" };
  const change = { crd: crdOf("b.example.com") };
  expect(replaced(before, change)).toEqual({ ...before, ...change });
  expect(replaced(before, change, { ...preset, aside: ["object"] })).toEqual({ ...before, ...change });
  expect(replaced(before, change, preset)).toEqual({ ...emptyScenario, ...change, object: "kind: B" });
});

test("a CRD in place of an example's that was cleared replaces its documents and options", () => {
  const own = { crd: `${crdOf("a.example.com")}spec: {}\n` };
  expect(replaced({ ...example, crd: "" }, own, preset)).toEqual({ ...emptyScenario, ...own });
  expect(replaced({ ...example, crd: "kind: Custom" }, own, preset)).toEqual({ ...emptyScenario, ...own });
});

test("so does a CRD without a name of the usual form", () => {
  const own = { crd: "kind: CustomResourceDefinition\nmetadata:\n  name: A\n" };
  expect(replaced({ ...example, crd: "" }, own, preset)).toEqual({ ...emptyScenario, ...own });
});

test("the example's CRD, pasted again after it was cleared, keeps them", () => {
  expect(replaced({ ...example, crd: "\n" }, { crd: example.crd }, preset)).toEqual(example);
});

test("an option that the user chose beside an example stays", () => {
  const before: Scenario = { ...example, fieldValidation: "Ignore" };
  const own = { crd: crdOf("b.example.com") };
  expect(replaced(before, own, { ...preset, chosen: ["fieldValidation"] })).toEqual({ ...emptyScenario, ...own, fieldValidation: "Ignore" });
});

test("another object keeps the options", () => {
  expect(replaced(example, { object: "kind: B" })).toEqual({ ...example, object: "kind: B" });
});

test("another CRD replaces the Go types, which would overwrite it", () => {
  const before = { ...emptyScenario, crd: crdOf("b.example.com"), go: "package b", object: "kind: B" };
  const crd = `${before.crd}spec: {}\n`;
  expect(replaced(before, { crd })).toEqual({ ...before, crd, go: "" });
  expect(replaced(before, { object: "kind: C" })).toEqual({ ...before, object: "kind: C" });
});

const field = (name: string): string => `            ${name}: {type: string}\n`;
const whole = (plural: string, fields: readonly string[]): string =>
  `${crdOf(`${plural}.example.com`)}spec:\n  group: example.com\n  names:\n    plural: ${plural}\n${fields.map(field).join("")}`;
const begun: Scenario = { ...example, crd: whole("as", ["a", "b", "c", "d", "e", "f", "g", "h"]) };
const other = whole("as", ["j", "k", "l"]);

test("a CRD with another name throughout is another one", () => {
  expect(isOther(begun.crd, begun.crd.replaceAll("as", "bs"))).toBe(true);
  expect(isOther(begun.crd, begun.crd.replace("as.example.com", "bs.example.com"))).toBe(false);
  expect(isOther(begun.crd, begun.crd.replace("plural: as", "plural: bs"))).toBe(false);
});

test("an example whose wrong name was corrected has the same CRD", () => {
  expect(isOther(begun.crd.replace("as.example.com", "a.example.com"), begun.crd)).toBe(false);
  expect(isOther(begun.crd.replace("as.example.com", "As"), begun.crd)).toBe(false);
});

test("a CRD with few of an example's lines is another one", () => {
  expect(isOther(begun.crd, other)).toBe(true);
  expect(isOther(begun.crd, begun.crd.replace(field("a"), ""))).toBe(false);
  expect(isOther(begun.crd, begun.crd + ["j", "k", "l"].map(field).join("").repeat(50))).toBe(false);
  expect(isOther(begun.crd, begun.crd.replaceAll("    ", "  "))).toBe(false);
});

test("a text without a name is not another CRD yet", () => {
  for (const text of ["", "\n", "kind: CustomResourceDefinition\nmetadata:\n  name: ", "name: a"]) expect(isOther(begun.crd, text)).toBe(false);
});

const find = (scenario: Scenario): Scenario | undefined => (sameScenario(scenario, begun) ? begun : undefined);

const none: Followed = { scenario: emptyScenario, origin: "opened" };
const opened = (next: Followed, previous: Followed, found = find): Followed => followExample(previous, { ...next, origin: "opened" }, found);

/** Returns the last state after changes. */
function after(changes: readonly Partial<Scenario>[], origin: Followed["origin"] = "typed"): Followed {
  const start = opened({ ...none, scenario: begun }, none);
  return changes.reduce<Followed>((previous, change) => followExample(previous, { ...previous, origin, scenario: { ...previous.scenario, ...change } }, find), start);
}

test("an example's options and documents leave with its CRD", () => {
  expect(after([{ crd: other }]).scenario).toEqual({ ...emptyScenario, crd: other });
  expect(after([{ crd: "" }, { crd: "kind: C" }, { crd: other }]).scenario).toEqual({ ...emptyScenario, crd: other });
});

test("they stay while the CRD is cleared or edited", () => {
  for (const crd of ["", "kind: C", `${begun.crd}${field("i")}`]) expect(after([{ crd }]).scenario).toEqual({ ...begun, crd });
});

test("what the user chose or wrote stays", () => {
  const { scenario } = after([{ fieldValidation: "Ignore" }, { fieldValidation: "Warn" }, { object: "kind: B" }, { crd: other }]);
  expect(scenario).toEqual({ ...emptyScenario, crd: other, fieldValidation: "Warn", object: "kind: B" });
});

test("they come back with the CRD, except for what the user has since changed", () => {
  const edited = `${begun.crd}${field("i")}`;
  expect(after([{ crd: other }, { crd: begun.crd }]).scenario).toEqual(begun);
  expect(after([{ crd: edited }, { crd: other }, { crd: "" }, { crd: edited }]).scenario).toEqual({ ...begun, crd: edited });
  expect(after([{ crd: other }, { crd: "" }]).scenario).toEqual(emptyScenario);
  const changed = after([{ crd: other }, { object: "kind: B", kubernetes: "1.32" }, { fieldValidation: "Ignore" }, { fieldValidation: "Strict" }, { crd: edited }]);
  expect(changed.scenario).toEqual({ ...begun, crd: edited, object: "kind: B", kubernetes: "1.32", fieldValidation: "Strict" });
});

test("a document that the user emptied stays empty", () => {
  expect(after([{ object: "" }, { crd: other }, { crd: begun.crd }]).scenario).toEqual({ ...begun, object: "" });
});

test("a scenario that was opened as a whole stays as it is", () => {
  const scenario = { ...begun, crd: other };
  const before = after([scenario], "opened");
  expect(before.scenario).toEqual(scenario);
  const typed: Followed = { ...before, origin: "typed", scenario: { ...scenario, crd: `${other}${field("m")}` } };
  expect(followExample(before, typed, find).scenario).toEqual(typed.scenario);
});

test("a restored session keeps its example", () => {
  const scenario = { ...begun, crd: `${begun.crd}${field("i")}`, object: "" };
  const example = { ...preset, scenario: begun };
  expect(opened({ ...none, scenario, example }, after([])).example).toBe(example);
});

test("documents that replaced those of an example come back with the CRD", () => {
  const before = after([{ crd: "" }]);
  const scenario = replaceDocuments(before, { crd: other }, isExample);
  const pasted = opened({ ...before, scenario }, before);
  expect(pasted.scenario).toEqual({ ...emptyScenario, crd: other });
  const undone = followExample(pasted, { ...pasted, origin: "changed", scenario: { ...pasted.scenario, crd: begun.crd } }, find);
  expect(undone.scenario).toEqual(begun);
});

test("an example in another release is an example, too", () => {
  const newest = { ...begun, kubernetes: "" };
  const findNewest = (scenario: Scenario): Scenario | undefined => (sameScenario(scenario, newest) ? newest : undefined);
  expect(opened({ ...none, scenario: begun }, none, findNewest).example).toEqual({ scenario: newest, chosen: ["kubernetes"] });
});

test("Go types of an example give its CRD", () => {
  const start: Followed = { scenario: { ...begun, go: "package a" }, origin: "typed", example: { scenario: { ...begun, go: "package a" }, chosen: [] } };
  const generated = { ...start, scenario: { ...start.scenario, crd: other } };
  expect(followExample(start, generated, find).scenario).toEqual(generated.scenario);
});
