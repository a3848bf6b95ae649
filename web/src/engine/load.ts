import type { ModuleAddress } from "./download";
import { WorkerClient } from "./worker-client";

/**
 * Returns the time limit for a request, in ms, by its number of characters. It is
 * about ten times the need of the largest real CRDs on a slow machine.
 */
const patience = (characters: number): number => 10_000 + characters / 100;
/** A first visit downloads several megabytes, perhaps over a slow line. */
const startTimeout = 180_000;

/** Creates a worker for a module, which it loads when it starts. */
export function load(address: ModuleAddress, runtime: string): WorkerClient {
  return new WorkerClient({
    spawn: () => new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "crdlab" }),
    module: new URL(address.module, location.href).href,
    packed: address.packed && new URL(address.packed, location.href).href,
    runtime: new URL(runtime, location.href).href,
    patience,
    startTimeout,
  });
}
