import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** A measurement of the page: times in ms, memory in MiB. */
export interface Figure {
  readonly benchmark: "Page";
  readonly workload: string;
  readonly variant: string;
  readonly unit: "ms" | "MiB";
  /** The median and the 95th percentile; both equal a single measurement. */
  readonly p50: number;
  readonly p95: number;
}

const file = fileURLToPath(new URL("../../dist/bench.json", import.meta.url));

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Prints a figure and writes it to the common file of all benchmarks, by name. */
export function record(workload: string, variant: string, unit: Figure["unit"], values: readonly number[]): void {
  const [p50, p95] = [percentile(values, 0.5), percentile(values, 0.95)];
  const figure: Figure = { benchmark: "Page", workload, variant, unit, p50, p95 };
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly Partial<Figure>[]) : [];
  const others = before.filter(({ benchmark, ...known }) => benchmark !== "Page" || known.workload !== workload || known.variant !== variant);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify([...others, figure], undefined, 2)}\n`);
  const number = (value: number): string => value.toFixed(1).padStart(9);
  const many = values.length > 1 ? `${number(p95)} ${unit}  (p50, p95 of ${values.length})` : "";
  console.log(`${workload.padEnd(14)} ${variant.padEnd(44)} ${number(p50)} ${unit}  ${many}`);
}
