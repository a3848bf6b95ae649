import { expect, test } from "vitest";
import { emptyScenario, type Scenario } from "./scenario";
import { replaceDocuments } from "./own";

const crdOf = (name: string): string => `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${name}\n`;
const example: Scenario = { ...emptyScenario, crd: crdOf("a.example.com"), object: "kind: A", fieldValidation: "Warn", operation: "update", kubernetes: "1.31" };
const isExample = (name: keyof Scenario, text: string): boolean => text !== "" && example[name] === text;
const replaced = (before: Scenario, change: Partial<Scenario>): Scenario => replaceDocuments(before, change, isExample);

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

test("the first CRD keeps the options", () => {
  const before = { ...example, crd: "" };
  const change = { crd: crdOf("b.example.com") };
  expect(replaced(before, change)).toEqual({ ...before, ...change });
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
