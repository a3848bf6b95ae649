import { expect, test } from "vitest";
import { sortTexts } from "./files";

const crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";

test("one file is for the document that is shown", () => {
  expect(sortTexts([crd], "oldCrd")).toEqual({ oldCrd: crd });
});

test("of several files the CRDs go to the CRD", () => {
  expect(sortTexts(["kind: A", crd, "kind: B\n"], "crd")).toEqual({ crd, object: "kind: A\n---\nkind: B\n" });
  expect(sortTexts(["kind: A\n", "kind: B\n"], "crd")).toEqual({ object: "kind: A\n---\nkind: B\n" });
});
