// Tests the built module under Node, as the page's worker uses it. For each case of the
// engine, its report must be identical to the built server's, except timings. (The server's
// own tests check that its reports are correct.)

import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ask, loadModule, readCases, show, startServer, timeless, untimed } from "./cases.mjs";

/** Fails with an excerpt at the first difference. */
function assertSame(module, server) {
  let at = 0;
  while (at < module.length && module[at] === server[at]) at++;
  const near = (text) => text.slice(Math.max(at - 40, 0), at + 120);
  assert.equal(near(module), near(server));
  assert.equal(module.length, server.length);
}

describe("the built module", async () => {
  const engine = await loadModule("engine");
  let server;
  before(async () => (server = await startServer()));
  after(() => server.stop());

  for (const { name, scenario } of readCases()) {
    it(`returns the server's report for the case ${name}`, async () => {
      const request = JSON.stringify(scenario);
      const wanted = untimed(await ask(`${server.url}/api/v1/evaluate`, scenario));
      assertSame(untimed(engine.evaluate(request)), wanted);
      if (scenario.crd?.includes("x-kubernetes-validations")) {
        // The module has compiled the rules of this CRD before; the server always compiles them.
        const again = { ...scenario, crd: `${scenario.crd}\n` };
        assertSame(untimed(engine.evaluate(JSON.stringify(again))), untimed(await ask(`${server.url}/api/v1/evaluate`, again)));
      }
    });
  }

  it("returns the server's panels, and only the requested ones", async () => {
    for (const { name, scenario } of readCases().filter((_, i) => i % 10 === 0)) {
      const wanted = JSON.parse(await ask(`${server.url}/panels`, { scenario, panels: [] }));
      assert.deepEqual(timeless(show(engine, scenario, [])), timeless(wanted), name);
      const { panels } = show(engine, scenario, ["brief", "rules"]);
      assert.deepEqual(panels, { brief: wanted.panels.brief, rules: wanted.panels.rules }, name);
    }
  });

  it("uses the current documents, and no omitted document", () => {
    const crdOf = (crd) => show(engine, crd === undefined ? {} : { crd }, ["brief"]).findings.map(({ message }) => message);
    const [one, other, none] = ["kind: A", "kind: [", ""].map(crdOf);
    assert.notDeepEqual(one, other);
    assert.deepEqual([crdOf("kind: A"), crdOf("kind: ["), crdOf(undefined)], [one, other, none]);
  });

  it("returns an error for an unreadable scenario", () => {
    const { evaluate, show, assist } = engine;
    assert.deepEqual(JSON.parse(evaluate("{")), { error: "decode the request: unexpected EOF" });
    assert.deepEqual(JSON.parse(evaluate()), { error: "crdlabEvaluate takes a string" });
    assert.deepEqual(show("{", {}), { error: "decode the request: unexpected EOF" });
    assert.deepEqual(show('{"scenario": {}, "panels": ["all"]}', {}), { error: 'panels: there is no panel "all"' });
    assert.deepEqual(JSON.parse(assist("{}")), { error: "request: must have one of the fields of an assist request, such as completion or hover" });
  });

  it("cannot use more than 1 GiB", () => {
    const pages = engine.memory.buffer.byteLength / 65536;
    assert.throws(() => engine.memory.grow(16384 - pages + 1), RangeError);
  });

  it("needs no more memory for the fifth edit of a large CRD, which would fill it if all were cached", ({ mock }) => {
    // The garbage collector may use half of the time. With the real clock, the memory would also
    // depend on what else the machine does. A clock that goes back stops the program.
    let now = performance.now();
    mock.method(performance, "now", () => (now += 0.001));
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
    const sizes = Array.from({ length: 5 }, (_, i) => {
      const { findings } = show(engine, { crd: `${crd}# ${i}\n` }, ["brief"]);
      assert.deepEqual(findings.filter(({ severity }) => severity === "error"), []);
      return engine.memory.buffer.byteLength;
    });
    // Without a limit of the cache, it has 1.7 times the size.
    assert.ok(sizes[4] < 1.25 * sizes[1], `sizes in bytes: ${sizes}`);
  });
});
