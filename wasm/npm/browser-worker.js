import { serve } from "./engine.js";

// Bundlers find the files in these expressions.
const addresses = {
  engine: new URL("./engine.wasm.gz", import.meta.url),
  goTypes: new URL("./gotypes.wasm.gz", import.meta.url),
};

async function download(module) {
  const response = await fetch(addresses[module]);
  if (!response.ok) throw new Error(`the engine cannot be downloaded: status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

const handle = serve(download, (message) => self.postMessage(message));
self.onmessage = ({ data }) => handle(data);
