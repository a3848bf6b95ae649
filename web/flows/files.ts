import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const site = fileURLToPath(new URL("../../dist/static", import.meta.url));
const types: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".webmanifest": "application/manifest+json",
};
const chunk = 64 << 10;

/** The requested paths and the total number of bytes sent. */
export interface Log {
  readonly paths: string[];
  bytes: number;
}

export interface Host {
  readonly address: string;
  stop(): Promise<void>;
}

/** A change to the site: maps requested names to files, and edits their contents. */
export interface Change {
  readonly name: (name: string) => string;
  readonly text: (text: string) => string;
}

/** Starts a host that serves the files of the static site below a path. */
export async function serveFiles(path: string, log: Log, change: () => Change | "down" | undefined = () => undefined): Promise<Host> {
  const host = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const name = pathname.startsWith(path) ? pathname.slice(path.length) || "index.html" : "";
    const changed = change();
    if (changed === "down") return void response.writeHead(503).end("down for maintenance");
    readFile(join(site, normalize(changed?.name(name) ?? name))).then(
      (file) => {
        const content = changed && /\.(html|js)$/.test(name) ? Buffer.from(changed.text(file.toString())) : file;
        log.paths.push(name);
        response.setHeader("content-type", types[extname(name)] ?? "application/octet-stream");
        response.setHeader("content-length", content.length);
        const send = (from: number): void => {
          if (response.destroyed) return;
          log.bytes += Math.min(chunk, content.length - from);
          const more = from + chunk < content.length;
          response.write(content.subarray(from, from + chunk), () => (more ? send(from + chunk) : response.end()));
        };
        send(0);
      },
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(host.address() as AddressInfo).port}${path}`,
    async stop() {
      // In the other order, a connection in between would keep the server open.
      const closed = new Promise((resolve) => host.close(resolve));
      host.closeAllConnections();
      await closed;
    },
  };
}
