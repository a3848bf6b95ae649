// Tests the built Worker in workerd, Cloudflare's runtime.
//
//   node --test cmd/worker/

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { unstable_startWorker } from "wrangler";

const here = import.meta.dirname;
const dist = join(here, "..", "..", "dist", "worker");
const operatorToken = "a token";

/** Size limits of Cloudflare's free plan, in bytes. */
const uploadLimit = 3e6;
const assetLimit = 25 * 2 ** 20;

const start = (config, variables = {}) =>
  unstable_startWorker({
    config: join(here, config),
    bindings: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, { type: "plain_text", value }]),
    ),
    dev: { server: { hostname: "127.0.0.1", port: 0 }, inspector: false, watch: false, persist: false, logLevel: "warn" },
  });

suite("the Worker", () => {
  let worker;
  let origin;
  before(async () => {
    worker = await start("wrangler.jsonc", { CRDLAB_OPERATOR_TOKEN: operatorToken });
    await worker.ready;
    origin = (await worker.url).origin;
  });
  after(() => worker?.dispose());

  const get = (path, headers = {}) => fetch(origin + path, { headers });
  const share = (scenario, type = "application/json") =>
    fetch(`${origin}/api/v1/share`, { method: "POST", headers: { "content-type": type }, body: JSON.stringify(scenario) });
  const problem = async (response, status, detail) => {
    assert.equal(response.status, status);
    assert.equal(response.headers.get("content-type"), "application/problem+json");
    assert.match((await response.json()).detail, detail);
  };

  test("serves a page that evaluates in the browser", async () => {
    const response = await get("/");
    const page = await response.text();
    assert.equal(response.status, 200);
    assert.match(page, /"evaluate":""/);
    assert.match(page, /"share":"\/api\/v1\/share"/);
    for (const [, path] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      assert.equal((await get(path)).status, 200, path);
    }
    assert.match((await (await get("/notices")).text()), /syumai\/workers/);
    assert.ok((await (await get("/examples.json")).json()).length > 3);
  });

  test("serves the files of the offline page", async () => {
    const fetcher = readdirSync(join(here, "../../web/dist/assets")).find((name) => /^fetcher-.*\.js$/.test(name));
    const worker = await get("/service-worker.js");
    const policy = (await get(`/assets/${fetcher}`)).headers.get("content-security-policy");
    assert.equal(policy, worker.headers.get("content-security-policy").replace(" 'wasm-unsafe-eval'; connect-src 'self'", "; connect-src https:"));
    assert.equal(worker.headers.get("content-type"), "text/javascript; charset=utf-8");
    const script = await worker.text();
    const site = JSON.parse(/^self\.site = (.*);$/m.exec(script)[1]);
    for (const path of [...site.files, ...site.modules, /importScripts\("(.*)"\)/.exec(script)[1]]) {
      assert.equal((await get(`/${path}`)).status, 200, path);
    }
  });

  test("serves the engine in a content coding that the client accepts", async () => {
    const { module, size } = JSON.parse(readFileSync(join(here, "built", "engine.json"), "utf8"));
    for (const coding of ["br", "gzip"]) {
      const response = await get(`/${module}`, { "accept-encoding": coding });
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("content-encoding"), coding);
      assert.equal(response.headers.get("content-type"), "application/wasm");
      assert.equal(response.headers.get("vary"), "Accept-Encoding");
      const content = new Uint8Array(await response.arrayBuffer());
      assert.equal(content.length, size);
      assert.deepEqual([...content.subarray(0, 4)], [0, 0x61, 0x73, 0x6d]);
    }
    await problem(await get("/assets/engine-nothing.wasm"), 404, /nothing at this address/);
  });

  test("serves other assets during the download of the engine", async () => {
    const { module, size, runtime } = JSON.parse(readFileSync(join(here, "built", "engine.json"), "utf8"));
    const bytes = async (path) => {
      const response = await fetch(`${origin}/${path}`, { headers: { "accept-encoding": "br" }, signal: AbortSignal.timeout(120_000) });
      return (await response.arrayBuffer()).byteLength;
    };
    for (let round = 0; round < 6; round++) {
      const [engine, script] = await Promise.all([bytes(module), bytes(runtime)]);
      assert.equal(engine, size);
      assert.ok(script > 0);
    }
  });

  test("sends the same security headers for assets as the Go program", async () => {
    const page = await get("/");
    const script = /src="(\/assets\/main-[^"]+)"/.exec(await page.text())[1];
    const { module } = JSON.parse(readFileSync(join(here, "built", "engine.json"), "utf8"));
    const fetcher = readdirSync(join(here, "../../web/dist/assets")).find((name) => /^fetcher-.*\.js$/.test(name));
    const worker = await get("/service-worker.js");
    const policy = (await get(`/assets/${fetcher}`)).headers.get("content-security-policy");
    assert.equal(policy, worker.headers.get("content-security-policy").replace(" 'wasm-unsafe-eval'; connect-src 'self'", "; connect-src https:"));
    for (const path of [script, `/${module}`]) {
      const { headers } = await get(path);
      assert.equal(headers.get("cache-control"), "public, max-age=31536000, immutable", path);
      for (const name of ["content-security-policy", "cross-origin-embedder-policy", "cross-origin-opener-policy",
        "cross-origin-resource-policy", "referrer-policy", "x-content-type-options"]) {
        assert.equal(headers.get(name), worker.headers.get(name), `${path}: ${name}`);
      }
    }
  });

  test("stores a scenario and returns every representation", async () => {
    const scenario = { crd: "a: é ☃ <1>\n", object: "b: 2\n", fieldValidation: "Warn" };
    const response = await share(scenario);
    assert.equal(response.status, 201);
    const { id, url } = await response.json();
    assert.match(id, /^[0-9A-Za-z]{19}$/);
    assert.equal(url, `${origin}/s/${id}`);
    assert.equal((await (await share(scenario)).json()).id, id);

    const api = await get(`/api/v1/share/${id}`);
    assert.deepEqual(await api.json(), scenario);
    assert.equal(api.headers.get("access-control-allow-origin"), "*");
    assert.equal((await get(`/api/v1/share/${id}`, { "if-none-match": api.headers.get("etag") })).status, 304);
    assert.deepEqual(await (await get(`/s/${id}.json`)).json(), scenario);
    assert.equal(await (await get(`/s/${id}.yaml`)).text(), "a: é ☃ <1>\n---\nb: 2\n");
    const page = await (await get(`/s/${id}`)).text();
    assert.match(page, /a: é ☃ &lt;1&gt;/);
    assert.match(page, new RegExp(`"shared":"${id}"`));
    const embed = await get(`/embed/${id}`);
    assert.match(embed.headers.get("content-security-policy"), /frame-ancestors \*/);
    assert.match(await embed.text(), /a: é ☃ &lt;1&gt;/);
  });

  test("accepts 1 MiB and enforces its size limit", async () => {
    const response = await share({ crd: "é".repeat(2 ** 19) });
    assert.equal(response.status, 201);
    const { id } = await response.json();
    assert.equal((await (await get(`/s/${id}.json`)).json()).crd.length, 2 ** 19);
    await problem(await share({ crd: "a".repeat(2 ** 21) }), 413, /exceeds the limit of 2 MiB/);
  });

  test("rejects invalid scenarios", async () => {
    await problem(await share({ crds: "" }), 400, /unknown field "crds"/);
    await problem(await share({}), 400, /empty/);
    await problem(await share({ crd: "a" }, "text/plain"), 415, /as JSON/);
    await problem(await get("/api/v1/share/0000000000000000000"), 404, /no such link/);
    assert.equal((await get("/s/0000000000000000000")).status, 404);
    await problem(await fetch(`${origin}/api/v1/evaluate`, { method: "POST", body: "{}" }), 404, /nothing at this address/);
  });

  test("lets only the operator delete links", async () => {
    const { id } = await (await share({ crd: "to be deleted" })).json();
    const remove = (token) =>
      fetch(`${origin}/api/v1/share/${id}`, { method: "DELETE", headers: { authorization: `Bearer ${token}` } });
    await problem(await remove("wrong"), 401, /operator token/);
    assert.equal((await remove(operatorToken)).status, 204);
    await problem(await get(`/api/v1/share/${id}`), 404, /no such link/);
  });

  test("limits the share rate of each client", async () => {
    const ask = (address) =>
      fetch(`${origin}/api/v1/share`, { method: "POST", headers: { "content-type": "application/json", "cf-connecting-ip": address }, body: "[]" });
    const statuses = new Set();
    let refused;
    for (let i = 0; i < 130 && !refused; i++) {
      const response = await ask("192.0.2.1");
      if (response.status === 429) refused = response;
      else statuses.add(response.status);
    }
    assert.deepEqual([...statuses], [400]);
    assert.equal(refused?.headers.get("retry-after"), "60");
    await problem(refused, 429, /Rate limit exceeded/);
    assert.equal((await ask("192.0.2.2")).status, 400);
  });

  test("handles concurrent requests", async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, (_, i) => share({ crd: `many: ${i % 20}` })));
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
    const ids = await Promise.all(answers.map(async (answer) => (await answer.json()).id));
    assert.equal(new Set(ids).size, 20);
  });
});

test("the store in Workers KV passes the store tests", async () => {
  const worker = await start("storetest/wrangler.jsonc");
  try {
    const outcomes = await (await fetch(await worker.url)).json();
    assert.ok(outcomes.length > 10);
    assert.deepEqual(outcomes.filter((outcome) => outcome.error !== ""), []);
  } finally {
    await worker.dispose();
  }
});

test("the Worker fits Cloudflare's size limits", () => {
  const files = ["app.wasm", "wasm_exec.js", "worker.mjs", "runtime.mjs"].map((name) => readFileSync(join(dist, "go", name)));
  const size = files.reduce((sum, content) => sum + gzipSync(content, { level: 9 }).length, 0);
  console.log(`worker: ${(files[0].length / 1e6).toFixed(1)} MB, ${(size / 1e6).toFixed(2)} MB as gzip`);
  assert.ok(size <= uploadLimit, `${size} bytes of ${uploadLimit}`);
  for (const name of readdirSync(join(dist, "public", "assets"))) {
    const { length } = readFileSync(join(dist, "public", "assets", name));
    assert.ok(length <= assetLimit, `${name}: ${length} bytes`);
  }
});
