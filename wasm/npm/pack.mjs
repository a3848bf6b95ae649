// Writes the npm package @crdlab/engine into a directory.
//
//   node pack.mjs VERSION DIRECTORY
//
// A version that is no release, such as a commit, becomes 0.0.0. The modules
// dist/engine.wasm.gz and dist/gotypes.wasm.gz and the types of the page must be current.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [version, target] = process.argv.slice(2);
const here = import.meta.dirname;
const root = join(here, "..", "..");
const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const sources = ["README.md", "browser-worker.js", "browser.js", "engine.js", "index.d.ts", "lab.js", "node-worker.js", "node.js"];
for (const name of sources) copyFileSync(join(here, name), join(target, name));
for (const name of ["LICENSE", "THIRD_PARTY_NOTICES"]) copyFileSync(join(root, name), join(target, name));
for (const name of ["engine.wasm.gz", "gotypes.wasm.gz"]) copyFileSync(join(root, "dist", name), join(target, name));
copyFileSync(join(root, "web", "src", "api.gen.ts"), join(target, "api.d.ts"));

const runtime = [join(goRoot, "lib", "wasm", "wasm_exec.js"), join(root, "wasm", "resume.js")];
writeFileSync(join(target, "runtime.js"), runtime.map((path) => readFileSync(path, "utf8")).join("\n"));

const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
manifest.version = /^v?(\d+\.\d+\.\d+)$/.exec(version)?.[1] ?? "0.0.0";
writeFileSync(join(target, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
