import { expect, test } from "vitest";
import { type Fragment, formatFragment, parseFragment } from "./fragment";

const cases: [string, Fragment][] = [
  ["", {}],
  ["#1=abc", { payload: "abc" }],
  ["#1=abc&panel=rules", { payload: "abc", panel: "rules" }],
  ["#example=nullable", { example: "nullable" }],
  ["#example=nullable&panel=kubectl", { example: "nullable", panel: "kubectl" }],
  ["#panel=versions", { panel: "versions" }],
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
