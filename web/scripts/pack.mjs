// Adds the engine to Vite's output in web/dist, so that the server can embed both.
//
//   node pack.mjs ENGINE GOTYPES RUNTIME NOTICES RELEASE...
//
// ENGINE is the WebAssembly module of the engine, with .br and .gz files beside it. GOTYPES is the
// module that generates CRDs from Go types. RUNTIME is
// Go's wasm_exec.js, which wasm/resume.js extends, and NOTICES the file with the licences. PROGRAM
// is the module of an older Kubernetes release, such as dist/modules/1.31.wasm.
// The files get names with a hash of their content, listed in web/dist/engine.json:
//
//   {"module": "assets/engine-….wasm", "size": …, "download": …, "runtime": "assets/wasm_exec-….js",
//    "programs": {"1.31": {"module": "assets/engine-….wasm", "size": …, "download": …}},
//    "goTypes": {"module": "assets/gotypes-….wasm", "size": …, "download": …}}
//
// size is the uncompressed size of a module in bytes, download the size of its Brotli file.
// Only compressed modules are stored. web/dist/service-worker.js receives the list of all files.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";

const dist = join(import.meta.dirname, "..", "dist");
const assets = join(dist, "assets");
const [file, goTypes, runtime, notices, ...programs] = process.argv.slice(2);

/** The largest file that Cloudflare serves, in bytes. */
const maxFile = 25 << 20;

const hash = (content) => createHash("sha256").update(content).digest("base64url").slice(0, 10);

await mkdir(assets, { recursive: true });
for (const name of await readdir(assets)) {
  if (/^(engine|gotypes|wasm_exec)-|\.(br|gz)$/.test(name)) await rm(join(assets, name));
}

const runtimeText = Buffer.concat([await readFile(runtime), await readFile(join(import.meta.dirname, "..", "..", "wasm", "resume.js"))]);
const runtimeName = `wasm_exec-${hash(runtimeText)}.js`;
await writeFile(join(assets, runtimeName), runtimeText);
await copyFile(notices, join(dist, "notices.txt"));

const plain = (await readdir(assets)).filter((name) => /\.(js|css|svg|json|map|txt)$/.test(name));
execFileSync(process.execPath, [join(import.meta.dirname, "compress.mjs"), "11", ...plain.map((name) => join(assets, name))]);

async function packModule(file) {
  const content = await readFile(file);
  const name = `${basename(file) === "gotypes.wasm" ? "gotypes" : "engine"}-${hash(content)}.wasm`;
  for (const suffix of [".br", ".gz"]) {
    const { size } = await stat(file + suffix);
    if (size > maxFile) throw new Error(`${file}${suffix} has ${size} bytes: static hosts accept ${maxFile}`);
    await copyFile(file + suffix, join(assets, name + suffix));
  }
  const { size: download } = await stat(`${file}.br`);
  return { module: `assets/${name}`, size: content.length, download };
}

const engine = { ...(await packModule(file)), runtime: `assets/${runtimeName}`, programs: {}, goTypes: await packModule(goTypes) };
for (const program of programs) engine.programs[basename(program, ".wasm")] = await packModule(program);
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
  // Static hosts have the gzip files only.
  const modules = [engine, engine.goTypes, ...Object.values(engine.programs)].flatMap(({ module }) => [module, `${module}.gz`]);
  const site = { version: hash(JSON.stringify([files, modules, worker])), files, modules, script: manifest["src/main.ts"].file };
  return `self.site = ${JSON.stringify(site)};\nimportScripts("${worker}");\n`;
}
