// Adds the engine to Vite's output in web/dist, so that the server can embed both.
//
//   node pack.mjs FIRST WHOLE RUNTIME NOTICES
//
// FIRST and WHOLE are the WebAssembly modules of the engine, with .br and .gz files
// beside them. RUNTIME is Go's wasm_exec.js, and NOTICES the file with the licences.
// The files get names with a hash of their content, listed in web/dist/engine.json:
//
//   {"first": {"module": "assets/engine-….wasm", "size": …}, "whole": {…}, "runtime": "assets/wasm_exec-….js"}
//
// size is the uncompressed size of a module in bytes. Only compressed modules are
// stored. web/dist/service-worker.js receives the list of all files.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

const dist = join(import.meta.dirname, "..", "dist");
const assets = join(dist, "assets");
const [first, whole, runtime, notices] = process.argv.slice(2);

const hash = (content) => createHash("sha256").update(content).digest("base64url").slice(0, 10);

await mkdir(assets, { recursive: true });
for (const name of await readdir(assets)) {
  if (/^(engine|wasm_exec)-|\.(br|gz)$/.test(name)) await rm(join(assets, name));
}

const runtimeText = await readFile(runtime);
const runtimeName = `wasm_exec-${hash(runtimeText)}.js`;
await writeFile(join(assets, runtimeName), runtimeText);
await copyFile(notices, join(dist, "notices.txt"));

const plain = (await readdir(assets)).filter((name) => /\.(js|css|svg|json|map|txt)$/.test(name));
execFileSync(process.execPath, [join(import.meta.dirname, "compress.mjs"), "11", ...plain.map((name) => join(assets, name))]);

async function packModule(file) {
  const content = await readFile(file);
  const name = `engine-${hash(content)}.wasm`;
  for (const suffix of [".br", ".gz"]) {
    await copyFile(file + suffix, join(assets, name + suffix));
  }
  return { module: `assets/${name}`, size: content.length };
}

const engine = { first: await packModule(first), whole: await packModule(whole), runtime: `assets/${runtimeName}` };
await writeFile(join(dist, "engine.json"), JSON.stringify(engine) + "\n");
await writeFile(join(dist, "service-worker.js"), await serviceWorker());
await writeFile(join(dist, ".gitkeep"), "");

/** Creates the script that defines the site for the service worker (web/src/offline/protocol.ts). */
async function serviceWorker() {
  const manifest = JSON.parse(await readFile(join(dist, "manifest.json"), "utf8"));
  const worker = manifest["src/offline/service-worker.ts"].file;
  if (/^\s*(import|export)\b/m.test(await readFile(join(dist, worker), "utf8"))) {
    throw new Error("the service worker shares code with the page, and so is no classic script");
  }
  const names = (await readdir(assets)).filter((name) => !/^app-|\.(br|gz)$/.test(name)).sort();
  const files = ["app.webmanifest", "examples.json", ...names.map((name) => `assets/${name}`).filter((name) => name !== worker)];
  const modules = [engine.first.module, engine.whole.module];
  const site = { version: hash(JSON.stringify([files, modules, worker])), files, modules, script: manifest["src/main.ts"].file };
  return `self.site = ${JSON.stringify(site)};\nimportScripts("${worker}");\n`;
}
