import { expect, test } from "vitest";
import { emptyScenario } from "./scenario";
import { coverageSummaryOf, isTest, passes, summaryOf } from "./tests";

test.each([
  ["a: 1 # want \"regexp\"", true],
  ["a: | # want@+2 `x`", true],
  ["# crdlab: update\na: 1", true],
  ["spec: # stored: absent", true],
  ["# We want it.\na: 1", false],
  ["a: b#want c", false],
  ["a: 1", false],
])("the expectations in %j: %s", (object, found) => {
  expect(isTest({ ...emptyScenario, object })).toBe(found);
  expect(isTest({ ...emptyScenario, crd: object })).toBe(found);
});

test.each([
  [{ expected: 8, met: 7, unexpected: 0 }, "7 of 8 expectations met", false],
  [{ expected: 1, met: 1, unexpected: 0 }, "1 of 1 expectation met", true],
  [{ expected: 2, met: 2, unexpected: 1 }, "2 of 2 expectations met, 1 unexpected finding", false],
  [{ expected: 0, met: 0, unexpected: 0 }, "Test: no unexpected findings", true],
])("the summary of %j", (counts, summary, passed) => {
  expect(summaryOf(counts)).toBe(summary);
  expect(passes(counts)).toBe(passed);
});

test("the summary of the coverage", () => {
  const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const rule = { range, version: "v1", rule: "self > 0", holds: 1, fails: 1, cannotFail: false, unevaluated: "" };
  const unfailing = { ...rule, fails: 0, cannotFail: true };
  expect(coverageSummaryOf([rule, { ...rule, fails: 0 }])).toBe("1 of 2 rules were seen to hold and to fail");
  expect(coverageSummaryOf([rule, unfailing])).toBe("1 of 1 rules were seen to hold and to fail; 1 more cannot fail");
});
