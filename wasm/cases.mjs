// The cases of the engine, the built modules and the built server, for the tests that compare
// them under Node.

import { execFileSync, spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

export const root = join(import.meta.dirname, "..");
const caseTime = "2026-01-02T03:04:05Z";

export async function loadModule(name) {
  const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const require = createRequire(import.meta.url);
  require(join(goRoot, "lib", "wasm", "wasm_exec.js"));
  require("./resume.js");
  const { memory } = await new globalThis.Go().start(await WebAssembly.compile(readFileSync(join(root, "dist", `${name}.wasm`))));
  const { crdlabEvaluate, crdlabShow, crdlabRequest, crdlabAssist, crdlabJudge } = globalThis;
  return { evaluate: crdlabEvaluate, show: crdlabShow, request: crdlabRequest, assist: crdlabAssist, judge: crdlabJudge, memory };
}

export async function startServer(releases = "none") {
  const child = spawn(join(root, "bin", "crdlab"), ["--addr", "127.0.0.1:0", "--evaluate-rate", "0", "--store", "none", "--programs", releases], { stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface(child.stderr).on("line", (line) => {
      const found = /"url":"(http:[^"]+)"/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  return { url, stop: () => child.kill("SIGTERM") };
}

/** Returns the files of a txtar archive by name. */
export function parseArchive(text) {
  const [, ...files] = text.split(/^-- (.*) --\n/m);
  return new Map(Array.from({ length: files.length / 2 }, (_, i) => [files[2 * i], files[2 * i + 1]]));
}

/** Returns the scenario field of a file, such as oldCrd for old-crd.yaml. */
const fieldOf = (name) => name === "types.go" ? "go" : name.replace(/\.yaml$/, "").replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** Returns the files of a case and of the example that it refers to. */
function scenarioFiles(path) {
  const files = parseArchive(readFileSync(path, "utf8"));
  const example = files.get("example")?.trim();
  if (example === undefined) return files;
  return new Map([...files, ...scenarioFiles(join(root, "internal", "examples", `${example}.txtar`))]);
}

export function readCases(directory = join(root, "internal", "engine", "testdata")) {
  const paths = readdirSync(directory, { recursive: true }).filter((name) => name.endsWith(".txtar")).sort();
  return paths.map((path) => {
    const files = scenarioFiles(join(directory, path));
    const scenario = { now: caseTime, ...JSON.parse(files.get("scenario.json") ?? "{}") };
    for (const [name, text] of files) {
      if (name.endsWith(".yaml") && name !== "want.yaml" && name !== "report.yaml") scenario[fieldOf(name)] = text;
    }
    return { name: path.slice(0, -".txtar".length), scenario };
  });
}

export const untimed = (report) => report.replace(/"timing":\{"crd":[^,]*,"object":[^}]*\}/g, '"timing":{"crd":0,"object":0}');

const documents = ["crd", "oldCrd", "object", "oldObject", "conversion", "admission"];

/** Separates the documents of a scenario from its options. */
export function split(scenario) {
  return [true, false].map((isText) =>
    Object.fromEntries(Object.entries(scenario).filter(([name]) => documents.includes(name) === isText)),
  );
}

/** Requests panels in the same way as the page's worker. */
export function show(module, scenario, panels, judgments) {
  const [texts, options] = split(scenario);
  const { answer, panels: html } = module.show(JSON.stringify({ scenario: options, panels }), texts, judgments);
  return { ...JSON.parse(answer), panels: html };
}

/** Sends a body to the server and returns the response body. */
export async function ask(address, body) {
  const response = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return response.text();
}

export const timeless = ({ panels: { timing: _, ...panels }, ...answer }) => ({ ...answer, panels });
