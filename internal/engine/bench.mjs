// Measures the engine natively and prints each workload as a ratio to the same
// run's bare upstream calls, those that an API server makes for the same answers:
// of the time, and of what is allocated, which other programs on the machine do
// not disturb. Then it prints how the cost grows where a workload doubles.
//
//   node bench.mjs OUT [PATTERN]
//
// OUT is a file of figures as JSON; it gets rows {benchmark, workload, variant,
// time, upstream, bytes, timeRatio, bytesRatio}, times in ns, each the median of
// several runs, and rows of the benchmark "Growth" with the ratios of a doubling.
// Beside it, what the benchmarks print is written for benchstat. PATTERN chooses
// benchmarks as go test -bench does.

import { writeFileSync } from "node:fs";
import { measure, record, withoutCores } from "./measure.mjs";

const [out, pattern = "Edit"] = process.argv.slice(2);
const { text, measured } = measure(import.meta.dirname, ".", ["-bench", pattern, "-benchtime", "300ms", "-count", "3"]);

const figures = new Map([...measured].map(([name, { "ns/op": time, "B/op": bytes }]) => [withoutCores(name), { time, bytes }]));
const rows = [...figures].flatMap(([name, { time, bytes }]) => {
  const [benchmark, workload, variant] = name.split("/");
  const upstream = figures.get(`${benchmark}/${workload}/upstream`);
  if (!upstream || variant === "upstream") return [];
  return [{ benchmark, workload, variant, time, upstream: upstream.time, bytes, timeRatio: time / upstream.time, bytesRatio: bytes / upstream.bytes }];
});
if (rows.length === 0) throw new Error(`no benchmark has a name like ${pattern}`);

console.log("ratio to the bare upstream calls         time   bytes");
for (const { benchmark, workload, variant, timeRatio, bytesRatio } of rows) {
  const name = `${benchmark} ${workload.split(".")[0]} ${variant}`;
  console.log(`${name.padEnd(39)} ${timeRatio.toFixed(2).padStart(5)} ${bytesRatio.toFixed(2).padStart(7)}`);
}

// "rules-100" is "rules-50" doubled.
const growth = rows.flatMap(({ benchmark, workload, variant, time, bytes }) => {
  const [, kind, size] = /^(\w+)-(\d+)$/.exec(workload) ?? [];
  const half = rows.find((row) => row.benchmark === benchmark && row.variant === variant && row.workload === `${kind}-${size / 2}`);
  return half ? [{ benchmark: "Growth", workload: `${benchmark} ${workload}`, variant, timeRatio: time / half.time, bytesRatio: bytes / half.bytes }] : [];
});
console.log("\ngrowth where the workload doubles        time   bytes");
for (const { workload, variant, timeRatio, bytesRatio } of growth) {
  console.log(`${`${workload} ${variant}`.padEnd(39)} ${timeRatio.toFixed(2).padStart(5)} ${bytesRatio.toFixed(2).padStart(7)}`);
}
record(out, [...rows, ...growth]);
writeFileSync(out.replace(/(\.json)?$/, ".txt"), text);
