// Measures the throughput of the HTTP API with a warm CRD on one core and on two. The
// results are ratios to the throughput of the engine in process, with and without
// decoding and encoding JSON.
//
//   node bench.mjs IN_OUT
//
// IN_OUT is a JSON file. The script adds rows of the benchmark "Server" with requests
// per second, the 99th percentile of the latency in ms, and the ratios.

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
