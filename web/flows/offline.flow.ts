import type { BrowserContext, CDPSession } from "@playwright/test";
import { type Change, type Log, serveFiles } from "./files";
import { expect, type Page, Playground, firstVisit as base } from "./playground";
import { type Server, startServer } from "./server";
import { crd, object, types } from "./texts";

/** A server that a test may stop. */
const test = base.extend<{ own: Server; devtools: CDPSession }>({
  own: async ({}, use) => {
    const own = await startServer();
    await use(own);
    await own.stop();
  },
  baseURL: ({ own }, use) => use(own.url),
  devtools: async ({ page }, use) => use(await page.context().newCDPSession(page)),
});

test.use({ serviceWorkers: "allow" });
test.slow();

/** Returns the cached paths, sorted. */
function keptPaths(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const paths: string[] = [];
    for (const name of await caches.keys()) {
      for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
    }
    return paths.sort();
  });
}

const modulesOf = (paths: readonly string[]): string[] => paths.filter((path) => /\.wasm(\.gz)?$/.test(path));

/** Waits until the page and a number of modules are cached. */
async function kept(page: Page, modules = 1): Promise<void> {
  await expect.poll(async () => modulesOf(await keptPaths(page)).length, { timeout: 60_000 }).toBe(modules);
  await expect.poll(async () => await page.evaluate(() => navigator.serviceWorker.ready.then(({ active }) => active?.state))).toBe("activated");
}

/** Disables the network, the server, and the browser's HTTP cache. */
async function leave(context: BrowserContext, own: Server | undefined, devtools: CDPSession): Promise<void> {
  await own?.stop();
  await devtools.send("Network.clearBrowserCache");
  await context.setOffline(true);
}

test("without network and server, a reload evaluates edits", async ({ playground, context, own, devtools }) => {
  const { page } = playground;
  await playground.open();
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(page.locator("#network")).toBeHidden();
  await kept(page);
  await leave(context, own, devtools);
  await expect(page.locator("#network")).toHaveText("offline");

  await page.reload();
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(page.locator("#network")).toHaveText("offline");
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(playground.problems().first()).toContainText("should be less than or equal to 10");
  await playground.choose("crontab-rules");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
});

test("without network, Go types still give the CRD", { tag: "@nightly" }, async ({ playground, context, own, devtools }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("go", types);
  await playground.stored("name: disks.example.com");
  await kept(page, 2);
  await leave(context, own, devtools);
  await page.reload();
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.paste("go", types.replace("Minimum=0", "Minimum=1"));
  await playground.stored("minimum: 1");
});

test("only the page, its files and the gallery are cached", { tag: "@nightly" }, async ({ playground, own, request }) => {
  const { page } = playground;
  const answer = await request.post("/api/v1/share", { data: { crd, object: object("3") } });
  const { id } = (await answer.json()) as { id: string };
  await playground.open();
  await kept(page);
  const before = await keptPaths(page);
  expect(before.filter((path) => !path.startsWith("/assets/"))).toEqual(["/", "/app.webmanifest", "/examples.json"]);

  await playground.open(`/s/${id}`);
  await expect(playground.verdict("object")).toContainText("created");
  await page.evaluate(async (address) => {
    for (const path of [address, `${address}.yaml`, "/api/v1/version", "/notices", "/api"]) await fetch(path);
    await fetch("/api/v1/evaluate", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  }, `/s/${id}`);
  expect(await keptPaths(page)).toEqual(before);
  await own.stop();
  await expect(page.goto(`/s/${id}`)).rejects.toThrow(/ERR_CONNECTION_REFUSED/);
});

test("requests to other sites bypass the cache", { tag: "@nightly" }, async ({ playground, context }) => {
  const { page } = playground;
  await context.route("https://files.example.com/**", (route) => route.fulfill({ headers: { "access-control-allow-origin": "*" }, body: crd }));
  await playground.open();
  await kept(page);
  await page.reload();
  await playground.settled();
  const before = await keptPaths(page);
  await page.evaluate(() => (location.hash = "#url=https://files.example.com/crd.yaml"));
  await expect(page.locator("#source-note")).toContainText("CRD from");
  expect(await playground.text("crd")).toContain("many replicas need an image");
  expect(await keptPaths(page)).toEqual(before);
});

test("a new version replaces the old one in the cache", async ({ context, devtools, page, complaints: _ }) => {
  const log: Log = { paths: [], bytes: 0 };
  // eslint-disable-next-line prefer-const -- the server reads it before it is assigned
  let next: Change | undefined;
  const host = await serveFiles("/team/crdlab/", log, () => next);
  const playground = new Playground(page);
  await playground.open(host.address);
  await kept(page);
  const script = (await page.locator("script[type=module]:not([async])").getAttribute("src")) ?? "";
  expect(script).toMatch(/^assets\/main-.+\.js$/);

  // A new build changes the name of the script and its references.
  const newScript = "assets/main-new.js";
  next = {
    name: (name) => (name === newScript ? script : name === script ? "is gone" : name),
    text: (text) => text.replaceAll(script, newScript).replace(/"version":"[^"]+"/, '"version":"new"').replace("<h1>crdlab", "<h1>crdlab 2"),
  };
  await page.reload();
  await expect(page.locator("h1")).toContainText("crdlab 2");
  await playground.settled();
  await expect.poll(() => keptPaths(page), { timeout: 60_000 }).toContain(`/team/crdlab/${newScript}`);
  // The new worker replaces the old one once the old one is idle, after half a minute.
  // While a debugger is attached, as it is here, Chromium keeps an idle worker running.
  await devtools.send("ServiceWorker.enable");
  const newWorker = async (): Promise<string> => {
    const state = await page.evaluate(() =>
      navigator.serviceWorker.getRegistration().then((all) => (all?.installing ? "installing" : all?.waiting ? "waiting" : "active")),
    );
    if (state === "waiting") await devtools.send("ServiceWorker.stopAllWorkers");
    return state;
  };
  await expect.poll(newWorker, { timeout: 60_000 }).toBe("active");
  await expect.poll(() => keptPaths(page), { timeout: 60_000 }).not.toContain(`/team/crdlab/${script}`);

  // The reload starts the new worker. Playwright cannot disconnect a worker that does not run.
  await page.reload();
  await playground.settled();
  await host.stop();
  await leave(context, undefined, devtools);
  await page.reload();
  await expect(page.locator("h1")).toContainText("crdlab 2");
  await expect(playground.where()).toHaveText(/in this page/);
});

test("the page works while the server is down", async ({ page, complaints: _ }) => {
  let down = false;
  const host = await serveFiles("/", { paths: [], bytes: 0 }, () => (down ? "down" : undefined));
  const playground = new Playground(page);
  await playground.open(host.address);
  await kept(page);
  down = true;
  await page.reload();
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(page.locator("#network")).toHaveText("offline");
  await host.stop();
});

test("after the site's data are cleared, the page is cached again", { tag: "@nightly" }, async ({ playground, devtools, own }) => {
  const { page } = playground;
  await playground.open();
  await kept(page);
  await devtools.send("Storage.clearDataForOrigin", { origin: own.url, storageTypes: "all" });
  expect(await keptPaths(page)).toEqual([]);
  await page.reload();
  await playground.settled();
  await expect(playground.where()).toHaveText(/in this page/);
  await kept(page);
});

test("browsers offer to install the page", { tag: "@nightly" }, async ({ playground, devtools }) => {
  await playground.open();
  await kept(playground.page);
  const manifest = await devtools.send("Page.getAppManifest");
  expect(manifest.errors).toEqual([]);
  const { icons, start_url } = JSON.parse(manifest.data ?? "{}") as { icons: { src: string; sizes: string; purpose: string }[]; start_url: string };
  expect(new URL(start_url, manifest.url).pathname).toBe("/");
  expect(icons.map(({ purpose }) => purpose)).toContain("maskable");
  for (const { src, sizes } of icons) {
    const size = await playground.page.evaluate(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      return `${image.naturalWidth}x${image.naturalHeight}`;
    }, new URL(src, manifest.url).href);
    if (sizes !== "any") expect(size).toBe(sizes);
  }
  // Test contexts are incognito; that is the only obstacle.
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
});
