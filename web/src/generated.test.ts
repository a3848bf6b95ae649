import { expect, test } from "vitest";
import type { Origin } from "./api.gen";
import { nothingGenerated } from "./engine/gotypes";
import { marksInGo, sourceOf, targetOf } from "./generated";
import type { SessionState } from "./session";

const range = (line: number, from: number, endLine: number, to: number) => ({ start: { line, character: from }, end: { line: endLine, character: to } });
const origins: readonly Origin[] = [
  { range: range(0, 0, 2, 0), source: range(7, 5, 7, 12) },
  { range: range(2, 0, 3, 20), source: range(9, 3, 9, 62) },
  { range: range(3, 20, 3, 37), source: range(9, 45, 9, 61) },
];
const finding = { document: "crd", range: range(3, 25, 3, 30), severity: "error", message: "no such field", hint: "", fixes: [] };
const state = {
  scenario: { go: "types", crd: "crd" },
  generated: { ...nothingGenerated, go: "types", crd: "crd", origins, problems: [{ range: range(1, 0, 1, 4), severity: "warning", message: "unknown", hint: "", fixes: [] }] },
  answer: { findings: [finding, { ...finding, document: "object" }] },
  answered: { crd: "crd" },
} as unknown as SessionState;
const edited = { ...state, scenario: { ...state.scenario, go: "newer" } };

test("a place in the CRD has the source of the part that it is in", () => {
  expect([[1, 9], [3, 19], [3, 20]].map(([line = 0, character = 0]) => sourceOf(state, { line, character }))).toEqual([range(7, 5, 7, 12), range(9, 3, 9, 62), range(9, 45, 9, 61)]);
  expect(sourceOf(edited, { line: 1, character: 0 })).toBeUndefined();
});

test("a place in Go has the part of the CRD with the narrowest source, or one in its line", () => {
  expect([[7, 0], [9, 4], [9, 50], [8, 0]].map(([line = 0, character = 0]) => targetOf(state, { line, character }))).toEqual([range(0, 0, 2, 0), range(2, 0, 3, 20), range(3, 20, 3, 37), undefined]);
});

test("the marks in Go are its mistakes and the findings in its CRD", () => {
  const mistake = { range: range(1, 0, 1, 4), severity: "warning", message: "unknown", hint: "", fixes: [] };
  const inRule = { range: range(9, 45, 9, 61), severity: "error", message: "no such field", hint: "", fixes: [] };
  expect(marksInGo(state)).toEqual([mistake, inRule]);
  expect(marksInGo(edited)).toEqual([mistake]);
  const [fix, other] = [{ title: "Add", edits: [{ document: "crd", range: range(3, 25, 3, 25), newText: "s" }] }, { title: "Remove", edits: [] }];
  const inGo = { title: "Add", edits: [{ document: "go", range: range(9, 45, 9, 45), newText: "s" }] };
  const translated = new Map([[JSON.stringify(fix.edits), inGo]]);
  const fixed = { ...state, generated: { ...state.generated, translated }, answer: { findings: [{ ...finding, fixes: [fix, other] }] } } as unknown as SessionState;
  expect(marksInGo(fixed)).toEqual([mistake, { ...inRule, fixes: [inGo] }]);
});
