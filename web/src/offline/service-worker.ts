// Caches the page for times without a network or a server. The page loads it as a
// classic script, so it must not share imports with another script.
import { download, type ModuleAddress } from "../engine/download";
import type { Keep, OfflineMark, Site } from "./protocol";

declare const self: ServiceWorkerGlobalScope & { readonly site: Site };

const { site } = self;
const { scope } = self.registration;
const addresses = new Set([scope, ...site.files.map(absolute)]);
const modules = new Set(site.modules.map(absolute));

/** Distinguishes the caches from other sites' caches on the same host. */
const prefix = `crdlab ${scope} `;
/** The page and its files, all of one version. */
const pageCache = prefix + site.version;
/** The engine's modules in gzip, by address. */
const moduleCache = `${prefix}engine`;

/** The time limit of the network for a cached page, in ms. */
const patience = 4000;

function absolute(path: string): string {
  return new URL(path, scope).href;
}

self.addEventListener("install", (event) => {
  event.waitUntil(keepPage().then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil(Promise.all([dropOldPages(), dropOldModules()]));
});

self.addEventListener("message", (event) => {
  event.waitUntil(keepModule((event.data as Keep).keep));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const address = request.url.replace(/[?#].*/, "");
  if (request.method !== "GET") return;
  if (modules.has(address)) event.respondWith(moduleFor(request, address));
  else if (!addresses.has(address)) return;
  else if (address.startsWith(absolute("assets/"))) event.respondWith(assetFor(request, address));
  else event.respondWith(newestFor(request, address));
});

/** Caches all files or none: scripts of another version would break the page. */
async function keepPage(): Promise<void> {
  const cache = await caches.open(pageCache);
  const [page] = await Promise.all([
    fetch(scope, { cache: "no-cache" }),
    cache.addAll(site.files.map((path) => new Request(absolute(path), { cache: path.startsWith("assets/") ? "force-cache" : "no-cache" }))),
  ]);
  // During a rolling update, a server may send the page of another version.
  const text = await page.clone().text();
  if (!page.ok || !text.includes(site.script)) throw new Error("the page is of another version");
  await cache.put(scope, page);
}

async function dropOldPages(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(prefix) && name !== pageCache && name !== moduleCache);
  await Promise.all(old.map((name) => caches.delete(name)));
}

async function dropOldModules(): Promise<void> {
  const cache = await caches.open(moduleCache);
  const old = (await cache.keys()).filter(({ url }) => !modules.has(url));
  await Promise.all(old.map((request) => cache.delete(request)));
}

/** Asset names contain a hash, so a cached asset is always current. */
async function assetFor(request: Request, address: string): Promise<Response> {
  return (await kept(address)) ?? fetch(request);
}

/** Fetches a response; undefined without a network or with a failing server. */
async function fromServer(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status >= 500) throw new Error(`the server answered ${response.status}`);
  return response;
}

/** Fetches the page or the gallery, with the cache as a fallback. */
async function newestFor(request: Request, address: string): Promise<Response> {
  const found = await kept(address);
  if (!found) return fetch(request);
  const old = markOffline(found);
  const answered = fromServer(request).catch(() => old);
  return Promise.race([answered, new Promise<Response>((resolve) => setTimeout(() => resolve(old), patience))]);
}

/** Marks a response as cached; the page shows that. */
function markOffline({ body, headers }: Response): Response {
  const marked = new Headers(headers);
  marked.set("server-timing", "offline" satisfies OfflineMark);
  return new Response(body, { headers: marked });
}

function kept(address: string): Promise<Response | undefined> {
  return caches.match(address, { cacheName: pageCache, ignoreVary: true });
}

/**
 * Returns the network's response unchanged: only then does the browser use its
 * compiled code.
 */
async function moduleFor(request: Request, address: string): Promise<Response> {
  try {
    return await fromServer(request);
  } catch (error) {
    const packed = await caches.match(address, { cacheName: moduleCache });
    if (!packed?.body) throw error;
    // The page treats an encoded response as a compressed download.
    const headers = { "content-type": "application/wasm", "content-encoding": "gzip" };
    return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers });
  }
}

/** Caches a module, usually from the browser's HTTP cache. */
async function keepModule(address: ModuleAddress): Promise<void> {
  const cache = await caches.open(moduleCache);
  if (await cache.match(address.module)) return;
  const { body } = await download(address);
  if (body) await cache.put(address.module, new Response(body.pipeThrough(new CompressionStream("gzip"))));
}
