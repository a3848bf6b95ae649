import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The built program. */
export const program = fileURLToPath(new URL("../../bin/crdlab", import.meta.url));

export interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a built server on a free port. */
export async function startServer(path = program): Promise<Server> {
  const child = spawn(path, ["--addr", "127.0.0.1:0", "--store", "memory:", "--evaluate-rate", "0", "--share-rate", "0"], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    createInterface(child.stderr).on("line", (line) => {
      // Older programs, which the benchmark compares, write text.
      const found = /url(?:=|":")(http:[^\s"]+)/.exec(line)?.[1];
      if (found) resolve(found);
    });
  });
  return {
    url,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
