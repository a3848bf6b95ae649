import { expect, test } from "vitest";
import { LastWords } from "./last-words";

const cases: [name: string, log: string, isOutOfMemory: boolean][] = [
  ["an allocation that fails", "runtime: out of memory: cannot allocate 4194304-byte block (1069547520 in use)\nfatal error: out of memory\n\ngoroutine 1", true],
  ["an arena that cannot be reserved", "fatal error: runtime: cannot allocate memory\n", true],
  ["a stack that is too deep", "runtime: goroutine stack exceeds 250000000-byte limit\nfatal error: stack overflow\n", false],
  ["a panic that quotes a document", "panic: unknown field: runtime: out of memory\n", false],
  ["nothing", "", false],
];

for (const [name, log, isOutOfMemory] of cases) {
  test(`${name} is ${isOutOfMemory ? "" : "not "}a lack of memory`, () => {
    const words = new LastWords();
    const bytes = new TextEncoder().encode(log);
    for (let at = 0; at < bytes.length; at += 7) expect(words.add(bytes.subarray(at, at + 7))).toBe(Math.min(7, bytes.length - at));
    expect(words.areOutOfMemory()).toBe(isOutOfMemory);
  });
}
