import { readFile } from "node:fs/promises";
import { parentPort } from "node:worker_threads";
import { start } from "./engine.js";

const handle = start(readFile(new URL("./engine.wasm.gz", import.meta.url)), (message) => parentPort.postMessage(message));
parentPort.on("message", handle);
