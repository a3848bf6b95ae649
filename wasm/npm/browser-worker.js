import { start } from "./engine.js";

async function download() {
  const response = await fetch(new URL("./engine.wasm.gz", import.meta.url));
  if (!response.ok) throw new Error(`the engine cannot be downloaded: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const handle = start(download(), (message) => self.postMessage(message));
self.onmessage = ({ data }) => handle(data);
