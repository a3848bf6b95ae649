/** The address of the engine's WebAssembly module. */
export interface ModuleAddress {
  readonly module: string;
  /** The gzip version, for hosts that may not compress; empty if absent. */
  readonly packed: string;
}

/** Downloads the module, compressed if possible. */
export async function download({ module, packed }: ModuleAddress): Promise<Response> {
  if (packed !== "") {
    const response = (packed !== module && await fetchCompressed(module)) || (await fetchPacked(packed));
    if (response) return response;
  }
  const response = await fetch(module, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`the engine's download answered ${response.status}`);
  return response;
}

/** Reports the part of a module of a known size that has arrived, 0 to 1. */
export function counted(response: Response, size: number, onPart: (part: number) => void): Response {
  let [received, reported] = [0, 0];
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      received += chunk.length;
      if (received - reported > size / 100) onPart((reported = received) / size);
      controller.enqueue(chunk);
    },
  });
  const body = response.body?.pipeThrough(counter) ?? null;
  return new Response(body, { headers: { "content-type": "application/wasm" } });
}

export async function compile(response: Response): Promise<WebAssembly.Module> {
  const type = response.headers.get("content-type") ?? "";
  if (type.split(";", 1)[0]?.trim() === "application/wasm") {
    // Only compileStreaming on the response itself uses the browser's code cache.
    return WebAssembly.compileStreaming(response);
  }
  return WebAssembly.compile(await response.arrayBuffer());
}

/** Fetches the file, unless its host would send it uncompressed. */
async function fetchCompressed(address: string): Promise<Response | undefined> {
  const abort = new AbortController();
  const response = await fetch(address, { credentials: "same-origin", signal: abort.signal });
  if (response.ok && response.headers.has("content-encoding")) return response;
  abort.abort();
  return undefined;
}

/** Fetches a gzip file and decompresses it while it arrives. */
async function fetchPacked(address: string): Promise<Response | undefined> {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok || !response.body) return undefined;
  const [start, whole] = response.body.tee();
  // Some hosts declare the encoding; the browser has decompressed the file then.
  const packed = await startsWith(start, 0x1f, 0x8b);
  const module = packed ? whole.pipeThrough(new DecompressionStream("gzip")) : whole;
  return new Response(module, { headers: { "content-type": "application/wasm" } });
}

async function startsWith(stream: ReadableStream<Uint8Array>, ...bytes: number[]): Promise<boolean> {
  const reader = stream.getReader();
  const { value } = await reader.read();
  void reader.cancel();
  return bytes.every((byte, i) => value?.[i] === byte);
}
