import { open } from "./lab.js";

export function load() {
  return open((receive, fail) => {
    const worker = new Worker(new URL("./browser-worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data }) => receive(data);
    worker.onerror = ({ message }) => fail(new Error(`the engine's worker failed: ${message ?? "its script cannot be loaded"}`));
    return { send: (message) => worker.postMessage(message), stop: () => worker.terminate() };
  });
}
