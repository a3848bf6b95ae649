// Tests the built modules under Node, as the page's worker uses them. For each case of
// the engine, their report must be identical to the built server's, except timings.
// (The server's own tests check that its reports are correct.) The module "first" may
// instead list the features that it lacks for a case. The module of the oldest release must
// judge as its program, whose verdicts the server merges into its results.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";

const root = join(import.meta.dirname, "..");
const caseTime = "2026-01-02T03:04:05Z";

async function loadModule(name) {
  const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
  const require = createRequire(import.meta.url);
  require(join(goRoot, "lib", "wasm", "wasm_exec.js"));
  require("./resume.js");
  const { memory } = await new globalThis.Go().start(await WebAssembly.compile(readFileSync(join(root, "dist", `${name}.wasm`))));
  const { crdlabEvaluate, crdlabShow, crdlabRequest, crdlabHelp, crdlabJudge } = globalThis;
  return { evaluate: crdlabEvaluate, show: crdlabShow, request: crdlabRequest, help: crdlabHelp, judge: crdlabJudge, memory };
}

async function startServer(minors = "none") {
  const child = spawn(join(root, "bin", "crdlab"), ["-addr", "127.0.0.1:0", "-evaluate-rate", "0", "-store", "none", "-minors", minors], { stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface(child.stderr).on("line", (line) => {
      const found = /url=(http:\S+)/.exec(line);
      if (found) resolve(found[1]);
    });
  });
  return { url, stop: () => child.kill("SIGTERM") };
}

/** Returns the files of a txtar archive by name. */
function parseArchive(text) {
  const [, ...files] = text.split(/^-- (.*) --\n/m);
  return new Map(Array.from({ length: files.length / 2 }, (_, i) => [files[2 * i], files[2 * i + 1]]));
}

/** Returns the scenario field of a file, such as oldCrd for old-crd.yaml. */
const fieldOf = (name) => name.replace(/\.yaml$/, "").replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/** Returns the files of a case and of the example that it refers to. */
function scenarioFiles(path) {
  const files = parseArchive(readFileSync(path, "utf8"));
  const example = files.get("example")?.trim();
  if (example === undefined) return files;
  return new Map([...files, ...scenarioFiles(join(root, "internal", "examples", `${example}.txtar`))]);
}

function readCases(directory = join(root, "internal", "engine", "testdata")) {
  const paths = readdirSync(directory, { recursive: true }).filter((name) => name.endsWith(".txtar")).sort();
  return paths.map((path) => {
    const files = scenarioFiles(join(directory, path));
    const scenario = { now: caseTime, ...JSON.parse(files.get("scenario.json") ?? "{}") };
    for (const [name, text] of files) {
      if (name.endsWith(".yaml")) scenario[fieldOf(name)] = text;
    }
    return { name: path.slice(0, -".txtar".length), scenario };
  });
}

const untimed = (report) => report.replace(/"timing":\{"crd":[^,]*,"object":[^}]*\}/, '"timing":{"crd":0,"object":0}');

const documents = ["crd", "oldCrd", "object", "oldObject", "conversion", "admission"];

/** Separates the documents of a scenario from its options. */
function split(scenario) {
  return [true, false].map((isText) =>
    Object.fromEntries(Object.entries(scenario).filter(([name]) => documents.includes(name) === isText)),
  );
}

/** Requests panels in the same way as the page's worker. */
function show(module, scenario, panels, judgments) {
  const [texts, options] = split(scenario);
  const { answer, panels: html } = module.show(JSON.stringify({ scenario: options, panels }), texts, judgments);
  return { ...JSON.parse(answer), panels: html };
}

/** Sends a body to the server and returns the response body. */
async function ask(address, body) {
  const response = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return response.text();
}

const timeless = ({ panels: { timing: _, ...panels }, ...answer }) => ({ ...answer, panels });

/** Fails with an excerpt at the first difference. */
function assertSame(module, server) {
  let at = 0;
  while (at < module.length && module[at] === server[at]) at++;
  const near = (text) => text.slice(Math.max(at - 40, 0), at + 120);
  assert.equal(near(module), near(server));
  assert.equal(module.length, server.length);
}

/** Maps each feature that the module "first" lacks to true if a scenario may need it. */
const needed = ({ admission = "", operation, crd = "", schemas }) => ({
  admission: admission.trim() !== "",
  apply: operation === "apply",
  conversion: /^ *strategy: *Webhook/m.test(crd),
  schemas: schemas === true,
});

describe("the built modules", async () => {
  const first = await loadModule("first");
  const whole = await loadModule("whole");
  let server;
  let missed = 0;
  before(async () => (server = await startServer()));
  after(() => server.stop());

  for (const { name, scenario } of readCases()) {
    it(`return the server's report for the case ${name}`, async () => {
      const request = JSON.stringify(scenario);
      const wanted = untimed(await ask(`${server.url}/api/v1/evaluate`, scenario));
      assertSame(untimed(whole.evaluate(request)), wanted);
      // The module has compiled the rules of this CRD before; the server always compiles them.
      const again = JSON.stringify({ ...scenario, crd: `${scenario.crd ?? ""}\n` });
      assertSame(untimed(whole.evaluate(again)), untimed(await ask(`${server.url}/api/v1/evaluate`, JSON.parse(again))));
      const report = first.evaluate(request);
      const { missing } = JSON.parse(report);
      if (missing) {
        const reasons = needed(scenario);
        for (const part of missing) assert.ok(reasons[part], `${part} is not needed`);
        missed++;
      } else {
        assertSame(untimed(report), wanted);
      }
    });
  }

  it("return the server's panels, and only the requested ones", async () => {
    for (const { name, scenario } of readCases().filter((_, i) => i % 10 === 0)) {
      const wanted = JSON.parse(await ask(`${server.url}/panels`, { scenario, panels: [] }));
      assert.deepEqual(timeless(show(whole, scenario, [])), timeless(wanted), name);
      const { panels } = show(whole, scenario, ["brief", "rules"]);
      assert.deepEqual(panels, { brief: wanted.panels.brief, rules: wanted.panels.rules }, name);
    }
  });

  it("use the current documents, and no omitted document", () => {
    const crdOf = (crd) => show(whole, crd === undefined ? {} : { crd }, ["brief"]).findings.map(({ message }) => message);
    const [one, other, none] = ["kind: A", "kind: [", ""].map(crdOf);
    assert.notDeepEqual(one, other);
    assert.deepEqual([crdOf("kind: A"), crdOf("kind: ["), crdOf(undefined)], [one, other, none]);
  });

  it("return an error for an unreadable scenario", () => {
    for (const { evaluate, show, help } of [first, whole]) {
      assert.deepEqual(JSON.parse(evaluate("{")), { error: "decode the request: unexpected EOF" });
      assert.deepEqual(JSON.parse(evaluate()), { error: "crdlabEvaluate takes a string" });
      assert.deepEqual(show("{", {}), { error: "decode the request: unexpected EOF" });
      assert.deepEqual(show('{"scenario": {}, "panels": ["all"]}', {}), { error: 'panels: there is no panel "all"' });
      assert.deepEqual(JSON.parse(help("{}")), { error: "question: must have one of the fields of an assist request, such as completion or hover" });
    }
  });

  it("cannot use more than 1 GiB", () => {
    for (const { memory } of [first, whole]) {
      const pages = memory.buffer.byteLength / 65536;
      assert.throws(() => memory.grow(16384 - pages + 1), RangeError);
    }
  });

  it("survive ten edits of a large CRD, which would fill the memory if all were cached", () => {
    const fields = Array.from({ length: 4000 }, (_, i) => `
              field${i}:
                type: object
                description: The field number ${i} of the specification, with a description of a usual length for a field.
                properties: {a: {type: string, maxLength: 10}, b: {type: integer, minimum: 1}}`).join("");
    const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: as.example.com}
spec:
  group: example.com
  names: {kind: A, plural: as}
  scope: Cluster
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:${fields}
`;
    for (let i = 0; i < 10; i++) {
      const { findings } = show(first, { crd: `${crd}# ${i}\n` }, ["brief"]);
      assert.deepEqual(findings.filter(({ severity }) => severity === "error"), []);
    }
  });

  it("differ in features", () => assert.ok(missed > 20, `the module "first" lacks features in ${missed} cases`));
});

describe("the module of the oldest release", async () => {
  const whole = await loadModule("whole");
  const oldest = await loadModule("modules/1.31");
  const programs = mkdtempSync(join(tmpdir(), "crdlab-minors-"));
  copyFileSync(join(root, "dist", "minors", "1.31"), join(programs, "1.31"));
  let server;
  before(async () => (server = await startServer(programs)));
  after(() => {
    server.stop();
    rmSync(programs, { recursive: true });
  });

  for (const { name, scenario } of readCases(join(root, "internal", "minors", "testdata"))) {
    it(`judges the case ${name} as its program`, async () => {
      const [texts, options] = split(scenario);
      const request = whole.request(JSON.stringify({ scenario: options, panels: [] }), texts);
      const judgments = { 1.31: await oldest.judge(request) };
      const wanted = JSON.parse(await ask(`${server.url}/panels`, { scenario, panels: [] }));
      assert.deepEqual(timeless(show(whole, scenario, [], judgments)), timeless(wanted));
    });
  }
});
