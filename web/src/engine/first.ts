// The page loads this script before all others: what the engine needs takes
// longest to load, and to compile.

import { readConfig } from "../config";
import { load } from "./load";
import type { WorkerClient } from "./worker-client";

/** The module that is needed first, on its way; undefined if there can be none. */
export const first: WorkerClient | undefined = start();

function start(): WorkerClient | undefined {
  const { engine } = readConfig();
  if (!engine.first.module || typeof WebAssembly !== "object") return undefined;
  const client = load(engine.first, engine.runtime);
  void client.start();
  return client;
}
