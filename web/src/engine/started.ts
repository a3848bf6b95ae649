// The page loads this script first, because the engine's module needs the most
// time to load and compile.

import { readConfig } from "../config";
import { permitRepetitions } from "./battery";
import { load } from "./load";
import type { WorkerClient } from "./worker-client";

/** The engine's worker, already loading its module; undefined without WebAssembly. */
export const started: WorkerClient | undefined = start();

function start(): WorkerClient | undefined {
  const { engine } = readConfig();
  if (!engine.module || typeof WebAssembly !== "object") return undefined;
  const client = load(engine, engine.runtime);
  void client.start();
  void permitRepetitions(client.permitRepetitions.bind(client));
  return client;
}
