// Keeps the page for when there is no network, or no server. It is loaded as a
// classic script, so what it imports must be in no other script of the page.
import { download, type ModuleAddress } from "../engine/download";
import type { Keep, OfflineMark, Site } from "./protocol";

declare const self: ServiceWorkerGlobalScope & { readonly site: Site };

const { site } = self;
const { scope } = self.registration;
const addresses = new Set([scope, ...site.files.map(absolute)]);
const modules = new Set(site.modules.map(absolute));

/** Other sites of the same host have caches, too. */
const prefix = `crdlab ${scope} `;
/** The page and what it loads, all of one version. */
const pageCache = prefix + site.version;
/** The engine's modules, as gzip, by their addresses. */
const moduleCache = `${prefix}engine`;

/** How long the network may keep the page waiting, in ms, if it is kept. */
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

/** All files or none: a page with scripts of another version would be broken. */
async function keepPage(): Promise<void> {
  const cache = await caches.open(pageCache);
  const [page] = await Promise.all([
    fetch(scope, { cache: "no-cache" }),
    cache.addAll(site.files.map((path) => new Request(absolute(path), { cache: path.startsWith("assets/") ? "force-cache" : "no-cache" }))),
  ]);
  // While servers are replaced, one may answer with the page of another version.
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

/** The names of assets tell their content, so what is kept is right. */
async function assetFor(request: Request, address: string): Promise<Response> {
  return (await kept(address)) ?? fetch(request);
}

/** The network's answer, unless there is none or it tells of a server that does not work. */
async function fromServer(request: Request): Promise<Response> {
  const response = await fetch(request);
  if (response.status >= 500) throw new Error(`the server answered ${response.status}`);
  return response;
}

/** From the network, or else what is kept: the page, the gallery. */
async function newestFor(request: Request, address: string): Promise<Response> {
  const found = await kept(address);
  if (!found) return fetch(request);
  const old = markOffline(found);
  const answered = fromServer(request).catch(() => old);
  return Promise.race([answered, new Promise<Response>((resolve) => setTimeout(() => resolve(old), patience))]);
}

/** The page reads this mark to say that it does not come from the network. */
function markOffline({ body, headers }: Response): Response {
  const marked = new Headers(headers);
  marked.set("server-timing", "offline" satisfies OfflineMark);
  return new Response(body, { headers: marked });
}

function kept(address: string): Promise<Response | undefined> {
  return caches.match(address, { cacheName: pageCache, ignoreVary: true });
}

/**
 * The network's answer is passed on as it is: only so does the browser find
 * what it has compiled of the module before.
 */
async function moduleFor(request: Request, address: string): Promise<Response> {
  try {
    return await fromServer(request);
  } catch (error) {
    const packed = await caches.match(address, { cacheName: moduleCache });
    if (!packed?.body) throw error;
    // The page takes an encoded answer for one that was small on its way.
    const headers = { "content-type": "application/wasm", "content-encoding": "gzip" };
    return new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers });
  }
}

/** Keeps a module, which the browser mostly has already. */
async function keepModule(address: ModuleAddress): Promise<void> {
  const cache = await caches.open(moduleCache);
  if (await cache.match(address.module)) return;
  const { body } = await download(address);
  if (body) await cache.put(address.module, new Response(body.pipeThrough(new CompressionStream("gzip"))));
}
