// A module in its worker: the engine, or the generator of CRDs.

import "./runtime.js";

/** The functions of the modules, by the methods that call them. */
const functions = { evaluate: "crdlabEvaluate", assist: "crdlabAssist" };

/**
 * Returns the function that handles requests. The first names the module, and it sends a message
 * when the module is ready.
 *
 * @param {(module: "engine" | "goTypes") => Promise<Uint8Array>} read Returns the module, compressed or not.
 * @param {(message: object) => void} send
 */
export function serve(read, send) {
  return ({ module, id, method, argument }) => {
    if (module) return void run(read(module), send).catch((error) => send({ failure: `the engine ended: ${log.at(-1) ?? error.message}` }));
    const reply = globalThis[functions[method]](argument);
    // An engine that ends returns nothing, and run reports the reason.
    if (reply !== undefined) send({ id, reply });
  };
}

/** The first line of a crash, such as "fatal error: out of memory". */
const log = [];

async function run(packed, send) {
  const { Go } = globalThis;
  const go = new Go();
  go.exit = () => {};
  globalThis.fs.writeSync = (_, bytes) => {
    const text = new TextDecoder().decode(bytes);
    if (/^(fatal error|panic): /.test(text)) log.push(text.trim());
    return bytes.length;
  };
  const { ended } = await go.start(await WebAssembly.compile(await unpack(await packed)));
  send({ ready: true });
  await ended;
  throw new Error("it stopped");
}

/** Decompresses a module unless the server has already declared the compression. */
async function unpack(bytes) {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip) return bytes;
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}
