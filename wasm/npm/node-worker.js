import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { serve } from "./engine.js";

const read = (module) => readFile(new URL(`./${module.toLowerCase()}.wasm.gz`, import.meta.url));
parentPort.on("message", serve(read, (message) => parentPort.postMessage(message)));
