import { afterEach, expect, test, vi } from "vitest";
import { download } from "./download";

const text = "\0asm and more";
const plain = new TextEncoder().encode(text);
const address = { module: "/engine.wasm", packed: "/engine.wasm.gz" };

async function gzip(content: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const packed = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** Installs a host with a response for each path; other paths are not found. */
function host(files: Record<string, () => Response>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", (path: string) => {
    asked.push(path);
    return Promise.resolve(files[path]?.() ?? new Response("", { status: 404 }));
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

test("a host that compresses is asked for the module only", async () => {
  const asked = host({
    "/engine.wasm": () => new Response(plain, { headers: { "content-encoding": "br" } }),
  });
  expect(await (await download(address)).text()).toBe(text);
  expect(asked).toEqual(["/engine.wasm"]);
});

test("a host that does not is asked for the packed file", async () => {
  const packed = await gzip(plain);
  host({ "/engine.wasm": () => new Response("all of it"), "/engine.wasm.gz": () => new Response(packed) });
  const response = await download(address);
  expect(response.headers.get("content-type")).toBe("application/wasm");
  expect(await response.text()).toBe(text);
});

test("the packed file may come unpacked", async () => {
  host({ "/engine.wasm.gz": () => new Response(plain, { headers: { "content-encoding": "gzip" } }) });
  expect(await (await download(address)).text()).toBe(text);
});

test("without a packed file all of it is downloaded", async () => {
  const asked = host({ "/engine.wasm": () => new Response(plain) });
  expect(await (await download(address)).text()).toBe(text);
  expect(await (await download({ ...address, packed: "" })).text()).toBe(text);
  expect(asked).toEqual(["/engine.wasm", "/engine.wasm.gz", "/engine.wasm", "/engine.wasm"]);
});

test("a module that is not there is an error", async () => {
  host({});
  await expect(download(address)).rejects.toThrow("answered 404");
});
