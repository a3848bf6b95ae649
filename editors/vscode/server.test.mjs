// Drives the built program with the protocol library of VS Code.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test as timed } from "node:test";
import { promisify } from "node:util";
import { createProtocolConnection, StreamMessageReader, StreamMessageWriter } from "vscode-languageserver-protocol/node";

const root = join(import.meta.dirname, "..", "..");
const { contributes } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8"));
// The name must be escaped in addresses, and VS Code escapes more characters than needed.
const parent = mkdtempSync(join(tmpdir(), "crdlab-"));
const folder = join(parent, "a b@c");
const address = (name) => `file://${parent}/a%20b%40c/${name}`;
const uri = address("object.yaml");
const textDocument = { uri };

let server;
let connection;
let version = 1;
const published = [];

/** Waits for the diagnostics of the version of the object that the editor has. */
async function diagnostics() {
  for (;;) {
    const last = published.findLast((each) => each.uri === uri && each.version === version);
    if (last) return last.diagnostics;
    await new Promise((resolve) => published.next = resolve);
  }
}

function change(range, text) {
  version++;
  return connection.sendNotification("textDocument/didChange", { textDocument: { uri, version }, contentChanges: [{ range, text }] });
}

/** A test that waits in vain fails. */
const test = (name, run) => timed(name, { timeout: 10_000 }, run);

const execute = (command, ...args) => connection.sendRequest("workspace/executeCommand", { command, arguments: args });

before(async () => {
  mkdirSync(folder);
  cpSync(join(root, "editors", "testdata"), folder, { recursive: true });
  server = spawn(join(root, "bin", "crdlab"), ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  connection = createProtocolConnection(new StreamMessageReader(server.stdout), new StreamMessageWriter(server.stdin));
  connection.onNotification("textDocument/publishDiagnostics", (params) => {
    published.push(params);
    published.next?.();
  });
  connection.onRequest("client/registerCapability", () => null);
  connection.listen();
  await connection.sendRequest("initialize", {
    processId: process.pid, rootUri: address(""), workspaceFolders: [{ uri: address(""), name: "test" }],
    capabilities: { workspace: { didChangeWatchedFiles: { dynamicRegistration: true } } },
    initializationOptions: { crds: [], fromCluster: false, release: "", compareWithHead: true, pageUrl: "https://crdlab.example.com" },
  });
  await connection.sendNotification("initialized", {});
  for (const name of ["crontab.yaml", "object.yaml"]) {
    await connection.sendNotification("textDocument/didOpen", {
      textDocument: { uri: address(name), languageId: "yaml", version, text: readFileSync(join(folder, name), "utf8") },
    });
  }
});

after(async () => {
  await connection.sendRequest("shutdown");
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendNotification("exit");
  assert.equal(await ended, 0);
  rmSync(parent, { recursive: true });
});

test("diagnostics have codes with links, and related places", async () => {
  const found = await diagnostics();
  assert.deepEqual(found.map(({ source, severity, code, range, message }) => ({ source, severity, code, line: range.start.line, message })), [{
    source: "crdlab", severity: 1, code: "wrong-type", line: 6,
    message: 'spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
  }]);
  assert.equal(found[0].codeDescription.href, "https://crdlab.example.com/errors/wrong-type");
  assert.equal(found[0].relatedInformation[0].location.uri, address("crontab.yaml"));
});

test("a code action fixes the finding, and another one the file", async () => {
  const { range } = (await diagnostics())[0];
  const actions = await connection.sendRequest("textDocument/codeAction", { textDocument, range, context: { diagnostics: [] } });
  assert.deepEqual(actions.map(({ title, kind }) => ({ title, kind })), [
    { title: "Set replicas: 3", kind: "quickfix" }, { title: "Apply all safe fixes", kind: "source.fixAll.crdlab" },
  ]);
  const [edit] = actions[1].edit.changes[uri];
  await change(edit.range, edit.newText);
  assert.deepEqual(await diagnostics(), []);
});

test("completion offers the fields that are missing", async () => {
  const end = { line: 7, character: 0 };
  await change({ start: end, end }, "  ");
  const { items } = await connection.sendRequest("textDocument/completion", { textDocument, position: { line: 7, character: 2 } });
  assert.deepEqual(items.map(({ label, detail }) => ({ label, detail })), [{ label: "suspend", detail: "boolean" }]);
});

test("hover describes a field", async () => {
  const { contents } = await connection.sendRequest("textDocument/hover", { textDocument, position: { line: 6, character: 4 } });
  assert.match(contents.value, /\*\*replicas\*\* `integer`\n\nThe number of copies\./);
});

test("the code lens opens the stored object, which has the default", async () => {
  const lenses = await connection.sendRequest("textDocument/codeLens", { textDocument });
  assert.deepEqual(lenses.map(({ command }) => [command.command, ...command.arguments]), [
    ["crdlab.storedObject", uri, 0], ["crdlab.openPlayground", uri, 0],
  ]);
  const { text, output } = await execute("crdlab.storedObject", uri, 0);
  assert.match(text, /^spec:\n {2}image: nginx\n {2}replicas: 3\n {2}suspend: false\n/m);
  assert.equal(output, "crontab.example.com/nightly created");
});

test("the command for a terminal starts an API server with the files", async () => {
  const [program, ...args] = await execute("crdlab.serverCommand", uri, 0);
  assert.equal(program, join(root, "bin", "crdlab"));
  assert.deepEqual(args, ["apiserver", "--keep-going", "--explain", join(folder, "crontab.yaml"), join(folder, "object.yaml")]);
  const { stderr } = await promisify(execFile)(program, [...args, "--", "true"]);
  assert.match(stderr, /^crdlab: refused: create crontabs\.example\.com "nightly"/m);
});

test("the server judges with the releases that the extension offers", async () => {
  const releases = contributes.configuration.properties["crdlab.release"].enum;
  await execute("crdlab.release", releases.at(-1));
  assert.deepEqual((await execute("crdlab.serverCommand", uri, 0)).slice(1, 5), ["apiserver", "--keep-going", "--kubernetes", releases.at(-1)]);
  await assert.rejects(execute("crdlab.release", "1.99"), new RegExp(`from ${releases.at(-1)} to ${releases[1]}$`));
});

test("the extension has the settings of the document and no command of the server", () => {
  const documented = readFileSync(join(root, "docs", "editors.md"), "utf8");
  const rows = (heading) => [...documented.split(`\n## ${heading}\n`)[1].split("\n## ")[0].matchAll(/^\| `([\w.]+)`/gm)].map((row) => row[1]);
  assert.deepEqual(Object.keys(contributes.configuration.properties), ["crdlab.path", ...rows("Settings").map((name) => `crdlab.${name}`)]);
  const registered = contributes.commands.map(({ command }) => command);
  assert.deepEqual(rows("Commands").filter((name) => registered.includes(name)), []);
});
