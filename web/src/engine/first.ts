// The page loads this script first, because the engine's module needs the most
// time to load and compile.

import { readConfig } from "../config";
import { load } from "./load";
import type { WorkerClient } from "./worker-client";

/** The core module, already loading; undefined without WebAssembly. */
export const first: WorkerClient | undefined = start();

function start(): WorkerClient | undefined {
  const { engine } = readConfig();
  if (!engine.first.module || typeof WebAssembly !== "object") return undefined;
  const client = load(engine.first, engine.runtime);
  void client.start();
  return client;
}
