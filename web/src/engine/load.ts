import type { ModuleAddress } from "./download";
import { WorkerClient } from "./worker-client";

/**
 * How long the engine may take for so many characters, in ms: some ten times
 * what the largest CRDs of real projects take on a slow machine.
 */
const patience = (characters: number): number => 10_000 + characters / 100;
/** A first visit over a slow line downloads several megabytes. */
const startTimeout = 180_000;

/** A worker with the module that is there, which begins to load when it is started. */
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
