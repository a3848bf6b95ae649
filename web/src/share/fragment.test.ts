import { expect, test } from "vitest";
import { type Fragment, formatFragment, parseFragment } from "./fragment";

const cases: [string, Fragment][] = [
  ["", {}],
  ["#1=abc", { payload: "abc" }],
  ["#1=abc&panel=rules", { payload: "abc", panel: "rules" }],
  ["#example=nullable", { example: "nullable" }],
  ["#example=nullable&panel=kubectl", { example: "nullable", panel: "kubectl" }],
  ["#url=https%3A%2F%2Fexample.com%2Fcrd.yaml%3Fx%3D1%26y%3D2", { url: "https://example.com/crd.yaml?x=1&y=2" }],
  ["#url=example.com%2Fcrd.yaml&panel=rules", { url: "example.com/crd.yaml", panel: "rules" }],
  ["#panel=versions", { panel: "versions" }],
  ["#1=abc&panel=schema&field=v1/spec/ports/name", { payload: "abc", panel: "schema", field: { version: "v1", names: ["spec", "ports", "name"] } }],
];

for (const [hash, fragment] of cases) {
  test(`${hash || "no fragment"} is read and written`, () => {
    expect(parseFragment(hash)).toEqual(fragment);
    expect(formatFragment(fragment)).toBe(hash);
  });
}

test("the panel shown at first goes without saying", () => {
  expect(formatFragment({ example: "nullable", panel: "outcome" })).toBe("#example=nullable");
});

test("unknown and empty parts are left out", () => {
  expect(parseFragment("#result&=x&2=def&1=&panel=nope&example=a")).toEqual({ example: "a" });
});

test("a step of the tour is read", () => {
  expect(parseFragment("#example=a&tour=3")).toEqual({ example: "a", tour: 3 });
  expect(parseFragment("#example=a&tour=x")).toEqual({ example: "a" });
});

const addresses: [hash: string, url: string][] = [
  ["#url=https://example.com/a%2Fb.yaml?x=1&panel=rules", "https://example.com/a%2Fb.yaml?x=1"],
  ["#url=HTTPS://example.com/%zz", "HTTPS://example.com/%zz"],
  ["#url=example.com%zz", "example.com%zz"],
];

for (const [hash, url] of addresses) {
  test(`an address that is not percent-encoded is read as it is: ${hash}`, () => {
    expect(parseFragment(hash).url).toBe(url);
  });
}
