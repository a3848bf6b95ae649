import { expect, test } from "vitest";
import { emptyScenario } from "./scenario";
import { nowhere } from "./remote/source";
import { emptyConsole } from "./session";
import { parseSession } from "./storage";

const scenario = { ...emptyScenario, crd: "a", object: "b", fieldValidation: "Warn" };

test("a stored session is read", () => {
  const console = { expression: "self", object: 1, path: "spec", isOpen: true };
  const source = { address: "https://example.com/crd.yaml", documents: ["crd"] };
  const stored = { scenario, document: "crd", beside: "admission", opened: ["oldCrd"], panel: "rules", console, source, visit: "a" };
  expect(parseSession(JSON.stringify(stored))).toEqual({ ...stored, source: { at: "fetched", address: source.address, texts: { crd: "a" } } });
});

test("what is unknown in it takes its default", () => {
  const stored = { scenario, document: "nope", beside: "object", opened: "x", panel: 3, console: { object: -1, path: {} }, source: { address: "a" }, visit: 1 };
  expect(parseSession(JSON.stringify(stored))).toEqual({ scenario, document: "object", beside: "crd", opened: [], panel: "outcome", console: emptyConsole, source: nowhere, visit: "" });
});

for (const text of [null, "", "{", "null", "7", '{"scenario": []}']) {
  test(`${text} is no session`, () => {
    expect(parseSession(text)).toBeUndefined();
  });
}
