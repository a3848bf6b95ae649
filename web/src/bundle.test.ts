import { expect, test } from "vitest";
import { sortResources, sortTexts, splitBundle } from "./bundle";

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


const resources: [about: string, text: string, sorted: ReturnType<typeof sortResources>][] = [
  ["a CRD", `# mine\n---\n${crd}`, { crd: `# mine\n---\n${crd}` }],
  ["several CRDs", `${crd}---\n${crd}`, { crd: `${crd}---\n${crd}` }],
  ["an object", "apiVersion: a/v1\nkind: A\n", { object: "apiVersion: a/v1\nkind: A\n" }],
  ["CRDs and objects", bundle, { crd: `${crd}---\n${crd}`, object: "apiVersion: a/v1\nkind: A\n" }],
  ["a CRD in one line of JSON", '{"spec": {}, "kind": "CustomResourceDefinition"}', { crd: '{"spec": {}, "kind": "CustomResourceDefinition"}' }],
  ["an object in one line of JSON", '{"apiVersion":"a/v1","kind":"A"}', { object: '{"apiVersion":"a/v1","kind":"A"}' }],
  ["no resource", "replicas: 3\nimage: {kind: A}\n", undefined],
  ["a text", "It is of this kind, and apiVersion: not that one.", undefined],
  ["nothing", "# nothing\n---\n", undefined],
];

for (const [about, text, sorted] of resources) {
  test(`what stands at an address is ${about}`, () => {
    expect(sortResources(text)).toEqual(sorted);
  });
}
