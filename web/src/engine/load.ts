import type { SizedAddress } from "../config";
import { startWorker } from "../trusted";
import script from "./worker?worker&url";
import type { ModuleAddress } from "./download";
import { WorkerClient, type WorkerOptions } from "./worker-client";

/** A first visit downloads several megabytes, perhaps over a slow line. */
const startTimeout = 180_000;

/** Creates a worker for a module, which it loads when it starts. */
export function load(address: ModuleAddress, runtime: string): WorkerClient {
  return newClient(address, runtime, {});
}

/** Creates a worker for a module that the page loads on demand. */
export function loadOnDemand(address: SizedAddress, runtime: string, onPart: (part: number) => void): WorkerClient {
  return newClient(address, runtime, { size: address.size, onPart });
}

function newClient(address: ModuleAddress, runtime: string, reports: Partial<WorkerOptions>): WorkerClient {
  return new WorkerClient({
    spawn: () => startWorker(script, "crdlab"),
    module: new URL(address.module, location.href).href,
    packed: address.packed && new URL(address.packed, location.href).href,
    runtime: new URL(runtime, location.href).href,
    startTimeout,
    ...reports,
  });
}
