// Tests the modules that have already started.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const root = join(import.meta.dirname, "..");
const scratch = mkdtempSync(join(tmpdir(), "crdlab-start-"));
after(() => rmSync(scratch, { recursive: true }));

const goRoot = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
const require = createRequire(import.meta.url);
require(join(goRoot, "lib", "wasm", "wasm_exec.js"));
require("./resume.js");

const compiled = (name) => WebAssembly.compile(readFileSync(join(root, "dist", name)));

test("a started module has the same bytes after each build, in any time zone", () => {
  const file = join(scratch, "engine.wasm");
  execFileSync(process.execPath, [join(root, "wasm", "start.mjs"), join(root, "dist", "plain", "engine.wasm"), file], { env: { ...process.env, TZ: "Asia/Tokyo" } });
  assert.ok(readFileSync(file).equals(readFileSync(join(root, "dist", "engine.wasm"))));
});

test("a module that has not started runs as well", async () => {
  await new globalThis.Go().start(await compiled("plain/engine.wasm"));
  assert.match(globalThis.crdlabEvaluate("{"), /decode the request/);
});

test("a started module needs the values that it holds", async (t) => {
  const { path } = globalThis;
  t.after(() => (globalThis.path = path));
  delete globalThis.path;
  await assert.rejects(new globalThis.Go().start(await compiled("engine.wasm")), { message: "path is undefined instead of object" });
});

test("a started module goes on at the time of its host", async () => {
  await new globalThis.Go().start(await compiled("engine.wasm"));
  const example = readFileSync(join(root, "internal", "examples", "crontab-stored.txtar"), "utf8");
  const [crd, object] = ["crd", "object"].map((name) => example.split(`-- ${name}.yaml --\n`)[1].split(/^-- /m)[0]);
  const before = Math.floor(Date.now() / 1000) * 1000;
  const report = globalThis.crdlabEvaluate(JSON.stringify({ crd, object, fieldValidation: "Ignore" }));
  const [created] = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/.exec(report) ?? [];
  assert.ok(Date.parse(created) >= before && Date.parse(created) <= Date.now(), created);
  const { timing } = JSON.parse(report);
  assert.ok(timing.crd > 0 && timing.crd < 60_000, timing.crd);
});
