// Measures the engine natively and prints each workload as a ratio to the same
// run's bare upstream calls: of the time, and of what is allocated, which other
// programs on the machine do not disturb.
//
//   node bench.mjs OUT [PATTERN]
//
// OUT is written as JSON: [{benchmark, workload, variant, time, upstream, bytes,
// timeRatio, bytesRatio}], times in ns, each the median of several runs. PATTERN
// chooses benchmarks as go test -bench does.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

const [out, pattern = "Edit"] = process.argv.slice(2);
const runs = 3;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** The medians of the time and the allocated bytes of each benchmark, by its name. */
function measure() {
  const text = execFileSync(
    "go",
    ["test", "-run", "^$", "-bench", pattern, "-benchmem", "-benchtime", "300ms", "-count", String(runs), "./internal/engine"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 64 << 20 },
  );
  const samples = new Map();
  for (const [, name, time, bytes] of text.matchAll(/^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+([\d.]+) ns\/op\s+(\d+) B\/op/gm)) {
    const sample = samples.get(name) ?? { times: [], bytes: [] };
    sample.times.push(Number(time));
    sample.bytes.push(Number(bytes));
    samples.set(name, sample);
  }
  return new Map([...samples].map(([name, { times, bytes }]) => [name, { time: median(times), bytes: median(bytes) }]));
}

const measured = measure();
const rows = [...measured].flatMap(([name, { time, bytes }]) => {
  const [benchmark, ...rest] = name.split("/");
  const variant = rest.pop();
  const workload = rest.join("/");
  const upstream = measured.get(`${benchmark}/${workload}/upstream`);
  if (!upstream || variant === "upstream") return [];
  const timeRatio = time / upstream.time;
  const bytesRatio = bytes / upstream.bytes;
  return [{ benchmark, workload, variant, time, upstream: upstream.time, bytes, timeRatio, bytesRatio }];
});
if (rows.length === 0) throw new Error(`no benchmark has a name like ${pattern}`);

console.log("ratio to the bare upstream calls      time   bytes");
for (const { benchmark, workload, variant, timeRatio, bytesRatio } of rows) {
  const name = `${benchmark} ${workload.split(".")[0]} ${variant}`;
  console.log(`${name.padEnd(36)} ${timeRatio.toFixed(2).padStart(5)} ${bytesRatio.toFixed(2).padStart(7)}`);
}
writeFileSync(out, `${JSON.stringify(rows, undefined, 2)}\n`);
