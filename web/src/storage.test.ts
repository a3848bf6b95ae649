import { expect, test } from "vitest";
import { emptyScenario } from "./scenario";
import { nowhere } from "./remote/source";
import { emptyConsole } from "./session";
import { parseSession } from "./storage";

const scenario = { ...emptyScenario, crd: "a", object: "b", fieldValidation: "Warn" };

test("a stored session is read", () => {
  const console = { expression: "self", object: 1, path: "spec", isOpen: true };
  const source = { address: "https://example.com/crd.yaml", documents: ["crd"] };
  const example = { scenario: { ...scenario, object: "c" }, chosen: ["kubernetes"], aside: ["object", "fieldValidation"] };
  const stored = { scenario, example, document: "crd", beside: "admission", opened: ["oldCrd"], panel: "rules", console, source, visit: "a" };
  expect(parseSession(JSON.stringify(stored))).toEqual({ ...stored, source: { at: "fetched", address: source.address, texts: { crd: "a" } } });
});

test("what is unknown in it takes its default", () => {
  const stored = { scenario, example: { chosen: [] }, document: "nope", beside: "object", opened: "x", panel: 3, console: { object: -1, path: {} }, source: { address: "a" }, visit: 1 };
  expect(parseSession(JSON.stringify(stored))).toEqual({ scenario, example: undefined, document: "object", beside: "crd", opened: [], panel: "outcome", console: emptyConsole, source: nowhere, visit: "" });
});

test("an unusable example in it takes its defaults", () => {
  const stored = { scenario, example: { scenario: [], chosen: ["nope"], aside: {} } };
  expect(parseSession(JSON.stringify(stored))?.example).toEqual({ scenario: emptyScenario, chosen: [] });
});

for (const text of [null, "", "{", "null", "7", '{"scenario": []}']) {
  test(`${text} is no session`, () => {
    expect(parseSession(text)).toBeUndefined();
  });
}
