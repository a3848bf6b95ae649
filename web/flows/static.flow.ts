import { type Log, serveFiles } from "./files";
import { expect, Playground, firstVisit as base } from "./playground";
import { crd, object } from "./texts";

const path = "/team/crdlab/";

/** Opens the page and waits for its engine, the only one there. */
async function openWithEngine(playground: Playground, address: string): Promise<void> {
  await playground.open(address);
  await expect(playground.where()).toHaveText(/in this page/, { timeout: 60_000 });
  await playground.settled();
}

base.slow();

const test = base.extend<{ log: Log; address: string }>({
  log: async ({}, use) => use({ paths: [], bytes: 0 }),
  address: async ({ log }, use) => {
    const host = await serveFiles(path, log);
    await use(host.address);
    await host.stop();
  },
});

test("a static host suffices to evaluate in the page, below any path", async ({ playground, address, log }) => {
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

test("the documentation of a CRD needs no server", async ({ page, address }) => {
  await page.goto(`${address}schema/index.html#example=crontab-validation`);
  await expect(page.locator("h1")).toHaveText("CronTab", { timeout: 60_000 });
  await page.locator("#playground").click();
  await expect(page).toHaveURL(/\/team\/crdlab\/#example=crontab-validation&panel=schema$/);
});

test("links contain the whole scenario and need no server", async ({ playground, address, browser }) => {
  const { page } = playground;
  await openWithEngine(playground, address);
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  const link = await playground.shareLink();
  await expect(page.locator("#short")).toBeHidden();
  expect(link).toContain(`${address}#1=`);

  const context = await browser.newContext();
  const other = new Playground(await context.newPage());
  await openWithEngine(other, link);
  expect(await other.text("object")).toBe(object("15").trimEnd() + "\n");
  await expect(other.verdict("object")).toHaveAttribute("data-state", "rejected");
  await context.close();
});

test("the share dialog embeds the documents in the address, because the host stores nothing", async ({ playground, address }) => {
  const { page } = playground;
  await openWithEngine(playground, address);
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await page.locator("#share-open").click();
  await page.locator("#share-embed summary").click();
  await expect(page.locator("#share-embed")).toContainText("this site stores none");
  await expect(page.locator("#share-embed")).not.toContainText("on this server", { useInnerText: true });
  await expect(page.locator("#share-snippet")).toHaveValue(new RegExp(`^<iframe src="${address}embed.html#1=`));
  await playground.open((await page.locator("#share-preview").getAttribute("href")) ?? "");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
});

test("its page shows a result without JavaScript, and has a policy", async ({ address, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const playground = new Playground(await context.newPage());
  await playground.page.goto(address);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  const policy = playground.page.locator("meta[http-equiv=Content-Security-Policy]");
  await expect(policy).toHaveAttribute("content", /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';.* require-trusted-types-for 'script'; trusted-types crdlab;/);
  await context.close();
});
