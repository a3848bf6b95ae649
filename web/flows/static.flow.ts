import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, Playground, test as base } from "./playground";
import { crd, object } from "./texts";

const site = fileURLToPath(new URL("../../dist/static", import.meta.url));
const types: Record<string, string> = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };

/** What the host was asked for, and how many bytes it sent in all. */
interface Log {
  readonly paths: string[];
  bytes: number;
}

/** A host that sends files as they are, below a path. */
function serveFiles(path: string, log: Log): Server {
  return createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    const name = pathname.startsWith(path) ? pathname.slice(path.length) || "index.html" : "";
    readFile(join(site, normalize(name))).then(
      (content) => {
        log.paths.push(name);
        response.setHeader("content-type", types[extname(name)] ?? "application/octet-stream");
        response.setHeader("content-length", content.length);
        const send = (from: number): void => {
          if (response.destroyed) return;
          log.bytes += Math.min(chunk, content.length - from);
          const more = from + chunk < content.length;
          response.write(content.subarray(from, from + chunk), () => (more ? send(from + chunk) : response.end()));
        };
        send(0);
      },
      () => response.writeHead(404).end(),
    );
  });
}

const chunk = 64 << 10;
const path = "/team/crdlab/";

/** Opens the page and waits for its engine: there is no other to ask. */
async function openWithEngine(playground: Playground, address: string): Promise<void> {
  await playground.open(address);
  await expect(playground.where()).toHaveText(/in this page/, { timeout: 60_000 });
  await playground.settled();
}

base.slow();

const test = base.extend<{ log: Log; address: string }>({
  log: async ({}, use) => use({ paths: [], bytes: 0 }),
  address: async ({ log }, use) => {
    const host = serveFiles(path, log);
    await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
    await use(`http://127.0.0.1:${(host.address() as AddressInfo).port}${path}`);
    host.closeAllConnections();
    await new Promise((resolve) => host.close(resolve));
  },
});

test("a host of files is enough to evaluate in the page, below any path", async ({ playground, address, log }) => {
  await openWithEngine(playground, address);
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(playground.problems().first()).toContainText("should be less than or equal to 10");
  await playground.choose("crontab-rules");
  await expect(playground.page).toHaveURL(/\/team\/crdlab\/#example=/);
  expect(log.paths.some((name) => name.endsWith(".wasm.gz"))).toBe(true);
  expect(log.bytes).toBeLessThan(20 << 20);
});

test("its links hold everything, and need no server", async ({ playground, address, browser }) => {
  const { page } = playground;
  await openWithEngine(playground, address);
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await page.locator("#share-open").click();
  await expect(page.locator("#short")).toBeHidden();
  const link = await page.locator("#share-link").inputValue();
  expect(link).toContain(`${address}#1=`);

  const context = await browser.newContext();
  const other = new Playground(await context.newPage());
  await openWithEngine(other, link);
  expect(await other.text("object")).toBe(object("15").trimEnd() + "\n");
  await expect(other.verdict("object")).toHaveAttribute("data-state", "rejected");
  await context.close();
});

test("its page shows a result without JavaScript, and has a policy", async ({ address, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const playground = new Playground(await context.newPage());
  await playground.page.goto(address);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  const policy = playground.page.locator("meta[http-equiv=Content-Security-Policy]");
  await expect(policy).toHaveAttribute("content", /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';/);
  await context.close();
});
