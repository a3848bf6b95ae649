import { Text } from "@codemirror/state";
import { expect, test } from "vitest";
import { offsetOf } from "./markers";

const text = Text.of(["ab", "🙂c", ""]);

const cases: [line: number, character: number, offset: number][] = [
  [0, 0, 0],
  [0, 2, 2],
  [0, 9, 2],
  [1, 0, 3],
  [1, 2, 5],
  [1, 3, 6],
  [2, 0, 7],
  [9, 0, 7],
  [-1, 5, 0],
  [1, -4, 3],
];

for (const [line, character, offset] of cases) {
  test(`line ${line}, character ${character} is at ${offset}`, () => {
    expect(offsetOf(text, { line, character })).toBe(offset);
  });
}
