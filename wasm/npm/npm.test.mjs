// Installs the packed npm package into an empty project and uses it in Node, with TypeScript,
// and in Chromium: from a plain script, and from bundles of Vite.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { chromium } from "@playwright/test";
import { build, createServer as createVite } from "vite";

const root = join(import.meta.dirname, "..", "..");
const project = mkdtempSync(join(tmpdir(), "crdlab-npm-"));
after(() => rmSync(project, { recursive: true }));

const run = (program, ...parameters) => execFileSync(program, parameters, { cwd: project, encoding: "utf8" });
const write = (name, text) => writeFileSync(join(project, name), text);

// The files of a txtar archive follow their names.
const example = readFileSync(join(root, "internal", "examples", "crontab-validation.txtar"), "utf8");
const [, , crd, , object] = example.split(/^-- (.*) --\n/m);

before(() => {
  const tarball = execFileSync("npm", ["pack", "--silent", "--pack-destination", project, join(root, "dist", "npm")], { encoding: "utf8" }).trim();
  write("package.json", JSON.stringify({ name: "empty", private: true, type: "module" }));
  run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", `./${tarball}`);
});

const archive = readFileSync(join(root, "internal", "examples", "crontab-go.txtar"), "utf8").split(/^-- (.*) --\n/m);
const [goTypes, generatedCRD] = ["types.go", "crd.yaml"].map((name) => archive[archive.indexOf(name) + 1]);
const mistaken = goTypes.replace("Maximum=10", "Maximum=ten");

/** A program that prints the output of kubectl, or hands it to the page. */
const program = (tell) => `import { load } from "@crdlab/engine";
const lab = await load();
const report = await lab.evaluate(${JSON.stringify({ crd, object })});
const { complete: completion } = await lab.assist({ complete: { scenario: ${JSON.stringify({ crd, object: "" })}, document: "object", position: { line: 0, character: 0 } } });
const [{ crds }, { problems }] = await Promise.all(${JSON.stringify([goTypes, mistaken])}.map((text) => lab.generate({ text })));
const wrong = await lab.assist({ nothing: {} }).catch((error) => error.message);
lab.close();
const closed = await Promise.all([lab.evaluate({}), lab.generate({ text: "" })].map((answer) => answer.catch((error) => error.message)));
${tell}(JSON.stringify({ output: report.objects[0].output, completions: completion.items.length > 0, crds, problems, wrong, closed }));
`;

function assertResult(text) {
  const { output, completions, crds, problems, wrong, closed } = JSON.parse(text);
  assert.match(output, /^The CronTab "my-new-cron-object" is invalid: \n\* spec.cronSpec: Invalid value/);
  assert.ok(completions);
  assert.equal(crds, generatedCRD);
  const line = mistaken.split("\n").findIndex((text) => text.includes("Maximum=ten"));
  const errors = problems.filter(({ severity }) => severity === "error");
  assert.deepEqual(errors.map(({ range }) => range.start.line), [line]);
  assert.match(wrong, /unknown field "nothing"/);
  assert.deepEqual(closed, ["the engine was closed", "the engine was closed"]);
}

describe("the npm package", () => {
  it("runs in Node", () => {
    write("main.js", program("console.log"));
    assertResult(run(process.execPath, "main.js"));
  });

  it("has types", () => {
    write("tsconfig.json", JSON.stringify({ compilerOptions: { strict: true, module: "nodenext", noEmit: true, types: [] }, files: ["typed.ts"] }));
    const typed = (field) => `import { load, type Report } from "@crdlab/engine";
const lab = await load();
const report: Report = await lab.evaluate({ crd: "a: 1", kubernetes: "1.37" });
const { crds, problems } = await lab.generate({ text: "package v1", options: "maxDescLen=0", fixes: true });
export const texts: string[] = [crds, ...problems.map(({ message }) => message)];
const accepted: boolean = report.crd.${field};
export { accepted };
`;
    const check = (field) => {
      write("typed.ts", typed(field));
      return spawnSync(join(root, "node_modules", ".bin", "tsc"), ["-p", project], { encoding: "utf8" }).stdout;
    };
    assert.equal(check("accepted"), "");
    assert.match(check("acepted"), /Property 'acepted' does not exist/);
  });

  describe("in Chromium", () => {
    let browser;
    before(async () => (browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] })));
    after(() => browser.close());

    /** Opens a page and returns what its program tells. */
    async function open(address) {
      const page = await browser.newPage();
      const failed = new Promise((_, reject) => {
        page.on("pageerror", reject);
        page.on("requestfailed", (request) => reject(new Error(`${request.url()} failed`)));
      });
      await page.goto(address);
      await Promise.race([failed, page.waitForFunction('document.title !== ""')]);
      const title = await page.title();
      await page.close();
      return decodeURIComponent(title); // a title has no runs of blanks
    }

    const html = (script) => `<!doctype html><meta charset="utf-8"><title></title>${script}`;

    it("runs from a plain script", async (t) => {
      const module = "./node_modules/@crdlab/engine/browser.js";
      write("plain.html", html(`<script type="module">${program("document.title = encodeURIComponent").replace("@crdlab/engine", module)}</script>`));
      const server = await serve(project);
      t.after(() => server.close());
      assertResult(await open(`${server.address}/plain.html`));
    });

    it("runs from a bundle of Vite", async (t) => {
      write("index.html", html('<script type="module" src="./page.js"></script>'));
      write("page.js", program("document.title = encodeURIComponent"));
      await build({ root: project, configFile: false, base: "./", logLevel: "error", build: { target: "esnext" } });
      const server = await serve(join(project, "dist"));
      t.after(() => server.close());
      assertResult(await open(`${server.address}/index.html`));
    });

    it("runs in Vite's development server", async (t) => {
      const vite = await createVite({ root: project, configFile: false, logLevel: "error", server: { port: 0, host: "127.0.0.1" }, optimizeDeps: { exclude: ["@crdlab/engine"] } });
      await vite.listen();
      t.after(() => vite.close());
      assertResult(await open(`http://127.0.0.1:${vite.httpServer.address().port}/index.html`));
    });
  });
});

const types = { ".html": "text/html", ".js": "text/javascript" };

/** Serves the files of a directory. */
async function serve(directory) {
  const server = createServer((request, response) => {
    const file = createReadStream(join(directory, new URL(request.url, "http://localhost").pathname));
    file.on("error", () => response.writeHead(404).end());
    file.on("open", () => response.writeHead(200, { "content-type": types[extname(request.url)] ?? "application/octet-stream" }));
    file.pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
