import { expect, test } from "vitest";
import { documentFirst, sortTexts, splitBundle } from "./bundle";

const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

test("one file is for the document that is shown", () => {
  expect(sortTexts([crd], "oldCrd")).toEqual({ oldCrd: crd });
});

test("of several files the CRDs go to the CRD", () => {
  expect(sortTexts(["kind: A", crd, "kind: B\n"], "crd")).toEqual({ crd, object: "kind: A\n---\nkind: B\n" });
  expect(sortTexts(["kind: A\n", "kind: B\n"], "crd")).toEqual({ object: "kind: A\n---\nkind: B\n" });
});

const bundle = `# all\n---\n${crd}---\napiVersion: a/v1\nkind: A\n---\n${crd}`;

test("one text with CRDs and objects is for both", () => {
  const split = { crd: `${crd}---\n${crd}`, object: "apiVersion: a/v1\nkind: A\n" };
  expect(splitBundle(bundle, "object")).toEqual(split);
  expect(sortTexts([bundle], "crd")).toEqual(split);
  expect(splitBundle(bundle, "oldCrd")).toBeUndefined();
  expect(splitBundle(`${crd}---\n${crd}`, "crd")).toBeUndefined();
});

test("the chosen document comes first", () => {
  const range = { start: { line: 2, character: 0 }, end: { line: 3, character: 7 } };
  expect(documentFirst("kind: A\n---\nkind: B\nb: {}\n---\nkind: C\n", range)).toBe(
    "kind: B\nb: {}\n---\nkind: A\n---\nkind: C\n",
  );
});
