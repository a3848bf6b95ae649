// Measures what the same verdict takes here and elsewhere: from a real API server
// and from kubectl-validate.
//
//   node bench.mjs IN_OUT
//
// IN_OUT is a file of figures as JSON; it gets rows {benchmark: "Peers", workload,
// variant, time, ratio}, times in ns, each as a ratio to that of crdlab natively.

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
