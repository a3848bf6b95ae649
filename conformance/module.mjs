// Evaluates scenarios, one line of JSON each, with the WebAssembly module that the
// first argument names. Writes one report per line.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
const require = createRequire(import.meta.url);
require(join(goRoot, "lib", "wasm", "wasm_exec.js"));
require("../wasm/resume.js");
await new globalThis.Go().start(await WebAssembly.compile(readFileSync(process.argv[2])));

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${globalThis.crdlabEvaluate(line).trim()}\n`);
}
process.exit();
