// Measures the cost of a keystroke in the built module under Node, and prints its ratio
// to the engine's native time in the same run.
//
//   node bench.mjs IN_OUT
//
// IN_OUT is a JSON file with the results of internal/engine/bench.mjs. This script adds
// rows of the benchmark "Module" with the time in ns, the ratio, and the response length.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { record } from "../internal/engine/measure.mjs";

const root = join(import.meta.dirname, "..");
const [file] = process.argv.slice(2);
const runs = 15;
/** The panels that the page requests at each keystroke. */
const panels = ["outcome", "brief", "problems", "announcement", "timing", "library", "count-crd", "count-object"];

async function loadModule() {
  const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const require = createRequire(import.meta.url);
  require(join(goRoot, "lib", "wasm", "wasm_exec.js"));
  require("./resume.js");
  await new globalThis.Go().start(await WebAssembly.compile(readFileSync(join(root, "dist", "engine.wasm"))));
  return globalThis.crdlabShow;
}

/** Returns the documents of the native benchmarks' workloads by name. */
function readWorkloads() {
  const example = readFileSync(join(root, "internal", "engine", "testdata", "docs", "validation-rules.txtar"), "utf8");
  const part = (name) => example.split(`-- ${name} --\n`)[1].split(/^-- .* --$/m)[0];
  const workloads = new Map([["crontab", { crd: part("crd.yaml"), object: part("object.yaml") }]]);
  const corpus = process.env.CRDLAB_CORPUS;
  for (const project of corpus ? readdirSync(corpus) : []) {
    for (const name of ["certificates.cert-manager.io", "httproutes.gateway.networking.k8s.io", "clusterpolicies.kyverno.io"]) {
      const read = (prefix, suffix) => readFileSync(join(corpus, project, `${prefix}.${name}${suffix}`), "utf8");
      try {
        workloads.set(name, { crd: read("crd", ".yaml"), object: read("cr", ".1.yaml") });
      } catch (error) {
        if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
      }
    }
  }
  return workloads;
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** Measures the median time in ns of a keystroke at the end of a document, and the response length. */
function measure(show, texts, document) {
  const request = JSON.stringify({ scenario: { fieldValidation: "Ignore" }, panels });
  const times = [];
  let length = 0;
  // The first runs warm up V8's optimizing compiler.
  for (let i = -5; i < runs; i++) {
    const edited = { ...texts, [document]: `${texts[document]}\n# ${document} ${i}` };
    const start = performance.now();
    const shown = show(request, edited);
    if (i >= 0) times.push((performance.now() - start) * 1e6);
    if (shown.error) throw new Error(shown.error);
    length = shown.answer.length + Object.values(shown.panels).reduce((sum, html) => sum + html.length, 0);
  }
  return { time: median(times), length };
}

const show = await loadModule();
const measured = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
const rows = [];
console.log("\nthe module under Node                       time   to native   answer");
for (const [workload, texts] of readWorkloads()) {
  for (const [variant, document] of [["object edit", "object"], ["CRD edit", "crd"]]) {
    const { time, length } = measure(show, texts, document);
    const benchmark = document === "crd" ? "CRDEdit" : "ObjectEdit";
    const native = measured.find((row) => row.benchmark === benchmark && row.workload === workload && row.variant === "engine");
    const timeRatio = native && time / native.time;
    rows.push({ benchmark: "Module", workload, variant, time, native: native?.time, timeRatio, length });
    const name = `${workload.split(".")[0]} ${variant}`;
    console.log(`${name.padEnd(36)} ${(time / 1e6).toFixed(1).padStart(8)} ms ${(timeRatio?.toFixed(1) ?? "-").padStart(8)} ${String(length).padStart(8)}`);
  }
}
record(file, rows);
process.exit();
