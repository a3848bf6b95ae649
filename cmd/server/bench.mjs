// Measures how many evaluations the HTTP API answers with a warm CRD, on one core
// and on two, as a share of two others: of what a program answers that has the
// engine in itself and is asked and answers in JSON as well, and of what the bare
// engine does, which has the texts in memory and leaves the report there.
//
//   node bench.mjs IN_OUT
//
// IN_OUT is a file of figures as JSON; it gets rows of the benchmark "Server" with
// requests per second, the latency in ms that one in a hundred exceeds, and the
// shares.

import { measure, record, withoutCores } from "../../internal/engine/measure.mjs";

const [file] = process.argv.slice(2);
const { measured } = measure(import.meta.dirname, ".", ["-bench", "Evaluate", "-benchtime", "1s", "-count", "3", "-cpu", "1,2"]);

const rows = [...measured].flatMap(([name, figures]) => {
  const [, workload, variant] = withoutCores(name).split("/");
  const cores = name.endsWith("-2") ? 2 : 1;
  const requests = figures["requests/s"];
  const shareOf = (other) => requests / measured.get(name.replace(`/${variant}`, `/${other}`))["requests/s"];
  return [{ benchmark: "Server", workload, variant: `${variant}, ${cores} core${cores > 1 ? "s" : ""}`, requests, p99: figures["p99-ns"] / 1e6, share: shareOf("json"), shareOfBare: shareOf("engine") }];
});
console.log("\nserver                                requests/s  p99 ms  of JSON  of bare");
for (const { workload, variant, requests, p99, share, shareOfBare } of rows) {
  console.log(`${`${workload} ${variant}`.padEnd(36)} ${requests.toFixed(0).padStart(11)} ${p99.toFixed(1).padStart(7)} ${share.toFixed(2).padStart(8)} ${shareOfBare.toFixed(2).padStart(8)}`);
}
record(file, rows);
