// Tests the built module for Go types under Node, as the page's worker uses it. For each text in
// internal/gotypes/testdata/pasted, its answer must be that of the built server.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ask, loadModule, parseArchive, root, startServer } from "./cases.mjs";

const directory = join(root, "internal", "gotypes", "testdata", "pasted");

function readSource(name) {
  const files = parseArchive(readFileSync(join(directory, name), "utf8"));
  const source = { text: files.get("text").replace(/^\| /gm, "") };
  return files.has("options") ? { ...source, options: files.get("options").trim() } : source;
}

describe("the built module for Go types", async () => {
  const { assist, memory } = await loadModule("gotypes");
  let server;
  before(async () => (server = await startServer()));
  after(() => server.stop());

  for (const name of readdirSync(directory)) {
    it(`returns the server's answer for the case ${name}`, async () => {
      const source = readSource(name);
      const { generate: generated } = JSON.parse(assist(JSON.stringify({ generate: source })));
      assert.deepEqual(generated, JSON.parse(await ask(`${server.url}/api/v1/generate`, source)));
      if (name === "one-file.txtar") assert.match(generated.crds, /controller-gen.kubebuilder.io\/version: v0\./);
    });
  }

  it("returns an error for another request", () => {
    assert.deepEqual(JSON.parse(assist('{"format": {"text": ""}}')), { error: "this module only knows Go types" });
    assert.deepEqual(JSON.parse(assist("{")), { error: "decode the request: unexpected EOF" });
  });

  it("cannot use more than 1 GiB", () => {
    const pages = memory.buffer.byteLength / 65536;
    assert.throws(() => memory.grow(16384 - pages + 1), RangeError);
  });
});
