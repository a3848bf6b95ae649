import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

/** The older program of a comparison, and the present one. */
export type Side = "old" | "new";

/** A measurement of the page, as in the common file of all benchmarks. */
interface Figure {
  readonly benchmark: "Page";
  readonly workload: string;
  readonly variant: string;
  readonly unit: "ms" | "MiB" | "KiB";
  /** The median and the 95th percentile; both equal a single measurement. */
  readonly p50: number;
  readonly p95: number;
}

type Key = Pick<Figure, "workload" | "variant" | "unit">;

const file = fileURLToPath(new URL("../../dist/bench.json", import.meta.url));

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Collects measurements of one side or both. */
export class Figures {
  readonly #rows = new Map<string, { readonly key: Key; readonly values: Record<Side, number[]> }>();

  add(side: Side, workload: string, variant: string, unit: Figure["unit"], values: readonly number[]): void {
    const name = `${workload} ${variant}`;
    const row = this.#rows.get(name) ?? { key: { workload, variant, unit }, values: { old: [], new: [] } };
    row.values[side].push(...values);
    this.#rows.set(name, row);
  }

  /**
   * Prints a line for each measurement: with two sides the ratios of the new median and 95th
   * percentile to the old ones, otherwise both. The last column is the ratio of the new 95th
   * percentile to the new median. Writes the new figures to the common file, by name.
   */
  print(): void {
    const figures = [...this.#rows.values()].map(({ key, values }) => {
      const [p50, p95] = [percentile(values.new, 0.5), percentile(values.new, 0.95)];
      const ratio = (share: number, value: number): string => `${(value / percentile(values.old, share)).toFixed(2).padStart(9)}    `;
      const absolute = (value: number): string => `${value.toFixed(1).padStart(9)} ${key.unit.padEnd(3)}`;
      const columns = values.old.length > 0 ? [ratio(0.5, p50), ratio(0.95, p95)] : [absolute(p50), absolute(p95)];
      console.log(key.workload.padEnd(14), key.variant.padEnd(48), ...columns, (p95 / p50).toFixed(2).padStart(6), `of ${values.new.length}`);
      return { benchmark: "Page", ...key, p50, p95 } as const;
    });
    write(figures);
  }
}

function write(figures: readonly Figure[]): void {
  const before = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly Partial<Figure>[]) : [];
  const isKept = ({ benchmark, workload, variant }: Partial<Figure>): boolean =>
    benchmark !== "Page" || !figures.some((figure) => figure.workload === workload && figure.variant === variant);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify([...before.filter(isKept), ...figures], undefined, 2)}\n`);
}
