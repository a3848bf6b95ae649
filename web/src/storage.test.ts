import { expect, test } from "vitest";
import { parseSession } from "./storage";

const scenario = { crd: "a", object: "b", fieldValidation: "Warn" };

test("a stored session is read", () => {
  const stored = { scenario, document: "crd", panel: "rules" };
  expect(parseSession(JSON.stringify(stored))).toEqual(stored);
});

test("what is unknown in it takes its default", () => {
  const stored = { scenario, document: "nope", panel: 3 };
  expect(parseSession(JSON.stringify(stored))).toEqual({ scenario, document: "object", panel: "outcome" });
});

for (const text of [null, "", "{", "null", "7", '{"scenario": []}']) {
  test(`${text} is no session`, () => {
    expect(parseSession(text)).toBeUndefined();
  });
}
