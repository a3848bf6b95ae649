import { expect, test } from "vitest";
import { type Problem, ProblemCursor } from "./problems";

const at = (line: number, severity: Problem["severity"] = "error"): Problem => ({ severity, document: "crd", range: { start: { line, character: 0 }, end: { line, character: 0 } } });
const found = (...lines: number[]): Problem[] => lines.map((line) => at(line));
const lineOf = (problem: Problem | undefined): number | undefined => problem?.range.start.line;

test("it goes round all lists, both ways", () => {
  const cursor = new ProblemCursor();
  const lists = [found(1), found(2, 3)];
  expect([1, 1, 1, 1].map(() => lineOf(cursor.next([...lists], 1)))).toEqual([1, 2, 3, 1]);
  expect(lineOf(cursor.next(lists, -1))).toBe(3);
});

test("errors in any list come before warnings and notes", () => {
  const cursor = new ProblemCursor();
  const lists = [[at(1, "info"), at(2, "warning")], [at(3), at(4, "warning")]];
  expect([1, 1, 1, 1].map(() => lineOf(cursor.next(lists, 1)))).toEqual([3, 2, 4, 1]);
});

test("a new list begins anew", () => {
  const cursor = new ProblemCursor();
  const first = found(1, 2);
  cursor.next([first, found(3)], 1);
  expect(lineOf(cursor.next([first, found(5)], 1))).toBe(1);
  expect(lineOf(cursor.next([first, found(6, 7)], -1))).toBe(7);
});

test("without problems it goes nowhere", () => {
  expect(new ProblemCursor().next([[], []], 1)).toBeUndefined();
  expect(new ProblemCursor().next([[]], -1)).toBeUndefined();
});
