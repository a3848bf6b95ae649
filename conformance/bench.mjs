// Compares the time for a verdict with a real API server and with kubectl-validate.
//
//   node bench.mjs IN_OUT
//
// IN_OUT is a JSON file of figures. The script adds rows {benchmark: "Peers",
// workload, variant, time, ratio}, with the time in ns and its ratio to native
// crdlab.

import { measure, record, withoutCores } from "../internal/engine/measure.mjs";

const [file] = process.argv.slice(2);
const { measured } = measure(import.meta.dirname, ".", ["-bench", "Peers", "-benchtime", "1s", "-count", "1"]);

const times = new Map([...measured].map(([name, { "ns/op": time }]) => [withoutCores(name), time]));
const rows = [...times].map(([name, time]) => {
  const [benchmark, workload, what, variant] = name.split("/");
  return { benchmark, workload: `${workload} ${what}`, variant, time, ratio: time / times.get(`${benchmark}/${workload}/${what}/crdlab`) };
});
console.log("\npeers                                           ms  ratio to crdlab");
for (const { workload, variant, time, ratio } of rows) {
  const [name, what] = workload.split(" ");
  console.log(`${`${name.split(".")[0]} ${what} ${variant}`.padEnd(40)} ${(time / 1e6).toFixed(1).padStart(9)} ${ratio.toFixed(1).padStart(9)}`);
}
record(file, rows);
