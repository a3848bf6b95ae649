import { Worker } from "node:worker_threads";
import { open } from "./lab.js";

export function load() {
  return open((receive, fail) => {
    const worker = new Worker(new URL("./node-worker.js", import.meta.url));
    worker.on("message", receive);
    worker.on("error", fail);
    return { send: (message) => worker.postMessage(message), stop: () => void worker.terminate() };
  });
}
