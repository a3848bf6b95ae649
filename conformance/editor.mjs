import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** Opens each file of a folder in an editor with the language server, and returns the errors of each path. */
export async function errorsInEditor(crdlab, folder, paths) {
  const server = spawn(crdlab, ["lsp"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  let buffer = Buffer.alloc(0);
  server.stdout.on("data", (chunk) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const header = buffer.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(header, 0)))?.[1]);
      if (header < 0 || buffer.length < header + 4 + length) return;
      const message = JSON.parse(buffer.subarray(header + 4, header + 4 + length));
      buffer = buffer.subarray(header + 4 + length);
      const key = message.method === "textDocument/publishDiagnostics" ? message.params.uri : message.id;
      if (message.method !== undefined && message.id !== undefined) send({ id: message.id, result: null });
      else waiting.get(key)?.(message);
    }
  });
  const send = (message) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  };
  const received = (key) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no message about ${key}`)), 60_000);
      waiting.set(key, (message) => (clearTimeout(timer), waiting.delete(key), resolve(message)));
    });
  try {
    send({ id: 1, method: "initialize", params: { rootUri: pathToFileURL(folder).href, capabilities: {} } });
    await received(1);
    send({ method: "initialized", params: {} });
    const errors = new Map();
    for (const path of paths) {
      const uri = pathToFileURL(join(folder, path)).href;
      send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "yaml", version: 1, text: readFileSync(join(folder, path), "utf8") } } });
      const { diagnostics } = (await received(uri)).params;
      errors.set(path, diagnostics.filter(({ severity }) => severity === 1).map(({ range, message }) => `${path}:${range.start.line + 1} ${message.split("\n")[0]}`));
      const closed = received(uri);
      send({ method: "textDocument/didClose", params: { textDocument: { uri } } });
      await closed;
    }
    return errors;
  } finally {
    server.kill();
    await once(server, "exit");
  }
}
