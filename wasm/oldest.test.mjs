// Tests the module of the oldest release under Node. It must judge as the release's program,
// whose verdicts the server merges into its results.

import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { ask, loadModule, readCases, root, show, split, startServer, timeless } from "./cases.mjs";

describe("the module of the oldest release", async () => {
  const whole = await loadModule("engine");
  const oldest = await loadModule("modules/1.31");
  const programs = mkdtempSync(join(tmpdir(), "crdlab-releases-"));
  copyFileSync(join(root, "dist", "programs", "1.31"), join(programs, "1.31"));
  let server;
  before(async () => (server = await startServer(programs)));
  after(() => {
    server.stop();
    rmSync(programs, { recursive: true });
  });

  for (const { name, scenario } of readCases(join(root, "internal", "releases", "testdata"))) {
    it(`judges the case ${name} as its program`, async () => {
      const [texts, options] = split(scenario);
      const request = whole.request(JSON.stringify({ scenario: options, panels: [] }), texts);
      const judgments = { 1.31: await oldest.judge(request) };
      const wanted = JSON.parse(await ask(`${server.url}/panels`, { scenario, panels: [] }));
      assert.deepEqual(timeless(show(whole, scenario, [], judgments)), timeless(wanted));
    });
  }
});
