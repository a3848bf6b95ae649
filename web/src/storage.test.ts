import { expect, test } from "vitest";
import { emptyScenario } from "./contract";
import { parseSession } from "./storage";

const scenario = { ...emptyScenario, crd: "a", object: "b", fieldValidation: "Warn" };

test("a stored session is read", () => {
  const stored = { scenario, document: "crd", opened: ["oldCrd"], panel: "rules" };
  expect(parseSession(JSON.stringify(stored))).toEqual(stored);
});

test("what is unknown in it takes its default", () => {
  const stored = { scenario, document: "nope", opened: "x", panel: 3 };
  expect(parseSession(JSON.stringify(stored))).toEqual({ scenario, document: "object", opened: [], panel: "outcome" });
});

for (const text of [null, "", "{", "null", "7", '{"scenario": []}']) {
  test(`${text} is no session`, () => {
    expect(parseSession(text)).toBeUndefined();
  });
}
