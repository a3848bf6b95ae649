// Runs Go benchmarks and reads what they print; adds to a file of figures.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/**
 * Runs the benchmarks of a Go package and returns the medians of what each of
 * them measures, by its name and then by unit, and the text that they print,
 * which benchstat reads.
 */
export function measure(directory, target, options) {
  const text = execFileSync("go", ["test", "-run", "^$", "-benchmem", ...options, target], {
    cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64 << 20,
  });
  const samples = new Map();
  for (const [, name, rest] of text.matchAll(/^Benchmark(\S+)\s+\d+\s+(.+)$/gm)) {
    const sample = samples.get(name) ?? new Map();
    for (const [, value, unit] of rest.matchAll(/([\d.]+) (\S+)/g)) sample.set(unit, [...(sample.get(unit) ?? []), Number(value)]);
    samples.set(name, sample);
  }
  const medians = (sample) => Object.fromEntries([...sample].map(([unit, values]) => [unit, median(values)]));
  return { text, measured: new Map([...samples].map(([name, sample]) => [name, medians(sample)])) };
}

/** A benchmark's name without the number of cores that go test puts behind it. */
export const withoutCores = (name) => name.replace(/-\d+$/, "");

/** Puts rows into a file of figures, in the place of earlier ones of the same benchmarks. */
export function record(file, rows) {
  const names = new Set(rows.map(({ benchmark }) => benchmark));
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify([...before.filter(({ benchmark }) => !names.has(benchmark)), ...rows], undefined, 2)}\n`);
}
