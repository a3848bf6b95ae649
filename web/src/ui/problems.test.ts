import { expect, test } from "vitest";
import type { Finding } from "../api.gen";
import { ProblemCursor } from "./problems";

function finding(message: string): Finding {
  const place = { line: 0, character: 0 };
  return {
    severity: "error",
    stage: "decode",
    reason: "FieldValueInvalid",
    field: "spec",
    code: "",
    message,
    hint: "",
    fixes: [],
    related: [],
    document: "crd",
    range: { start: place, end: place },
  };
}

const found = (...messages: string[]): Finding[] => messages.map(finding);

test("it goes round, both ways", () => {
  const cursor = new ProblemCursor();
  const three = found("a", "b", "c");
  const forth = [1, 1, 1, 1].map(() => cursor.next(three, 1)?.message);
  expect(forth).toEqual(["a", "b", "c", "a"]);
  expect(cursor.next(three, -1)?.message).toBe("c");
});

test("a new answer begins anew", () => {
  const cursor = new ProblemCursor();
  cursor.next(found("a", "b"), 1);
  expect(cursor.next(found("x", "y"), 1)?.message).toBe("x");
  expect(cursor.next(found("x", "y"), -1)?.message).toBe("y");
});

test("without findings it goes nowhere", () => {
  expect(new ProblemCursor().next(found(), 1)).toBeUndefined();
  expect(new ProblemCursor().next([], -1)).toBeUndefined();
});
