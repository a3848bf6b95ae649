import { expect, test } from "vitest";
import type { Answer } from "../api.gen";
import { emptyScenario, type Scenario } from "../scenario";
import { filesOf, markdownOf } from "./documents";

const scenario: Scenario = { ...emptyScenario, crd: "kind: X\n", oldCrd: "a: `````", operation: "apply", force: true };
const answer: Answer = {
  findings: [],
  outputs: ["crd created", "", "object created\n"],
  panels: {},
};

test("the files are what there is", () => {
  expect(filesOf(scenario)).toEqual([
    ["crd.yaml", "kind: X\n"],
    ["old-crd.yaml", "a: `````"],
    ["scenario.json", '{\n  "operation": "apply",\n  "force": true\n}\n'],
  ]);
  expect(filesOf({ ...emptyScenario, crd: "a", go: "package a" })).toEqual([["crd.yaml", "a"], ["types.go", "package a"]]);
});

test("the Markdown holds documents, verdict and link", () => {
  const short = { ...emptyScenario, crd: "kind: X\n" };
  expect(markdownOf(short, answer, "https://example.com/#1=a")).toBe(
    "`crd.yaml`\n\n```yaml\nkind: X\n```\n\nResult\n\n```text\ncrd created\n\nobject created\n```\n\n[Open in crdlab](https://example.com/#1=a)\n",
  );
});

test("no text breaks out of its block", () => {
  expect(markdownOf(scenario, undefined, "")).toContain("``````yaml\na: `````\n``````");
});
