// Evaluates scenarios, one line of JSON each, with the WebAssembly module that the
// first argument names. Writes one report per line.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
createRequire(import.meta.url)(join(goRoot, "lib", "wasm", "wasm_exec.js"));
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), go.importObject);
await new Promise((resolve) => {
  globalThis.crdlabReady = resolve;
  void go.run(instance);
});

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${globalThis.crdlabEvaluate(line).trim()}\n`);
}
process.exit();
