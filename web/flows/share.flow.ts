import { exec } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { APIRequestContext, Browser } from "@playwright/test";
import { expect, Playground, test } from "./playground";
import { program } from "./server";
import { crd, hostileCRD, hostileObject, object } from "./texts";

async function shareOn(request: APIRequestContext, scenario: object): Promise<string> {
  const response = await request.post("/api/v1/share", { data: scenario });
  expect(response.status()).toBe(201);
  return ((await response.json()) as { id: string }).id;
}

test("a short link restores the documents and the result in another browser", async ({ playground, browser, baseURL }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await page.locator("#share-open").click();
  await expect(page.locator("#short-link")).toHaveValue("");
  await page.locator("#short-make").click();
  await expect(page.locator("#short-link")).toHaveValue(new RegExp(`^${baseURL}/s/[0-9A-Za-z]{19}$`));
  await expect(page.locator("#short-copy")).toBeVisible();
  const link = await page.locator("#short-link").inputValue();
  await page.keyboard.press("Escape");

  const context = await browser.newContext();
  const other = new Playground(await context.newPage());
  await other.open(link);
  await expect(other.where()).toHaveText(/in this page/);
  expect(await other.text("crd")).toBe(await playground.text("crd"));
  expect(await other.text("object")).toBe(await playground.text("object"));
  await expect(other.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(other.page).toHaveURL(link);
  await expect(other.page).toHaveTitle("CronTab default/my-cron rejected · crdlab");
  await other.page.locator("#share-open").click();
  await expect(other.page.locator("#short-link")).toHaveValue(link);
  await other.page.keyboard.press("Escape");

  await other.paste("object", object("3"));
  await expect(other.page).toHaveURL(new RegExp(`^${baseURL}/#1=`));
  await context.close();
});

test("the command for kubectl starts a server with the documents", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await page.locator("#share-open").click();
  const field = page.getByRole("textbox", { name: "Try in kubectl" });
  await expect(field).toHaveValue(/^crdlab apiserver --keep-going --explain "http[^"]+"$/);
  const { stderr } = await promisify(exec)(`${(await field.inputValue()).replace("crdlab", program)} -- true`);
  expect(stderr).toContain('crdlab: refused: create crontabs.stable.example.com "my-cron" in default (422)');
  expect(stderr).not.toContain("customresourcedefinitions");
});

test("the short link takes precedence over the stored session", async ({ playground, request }) => {
  await playground.open();
  await playground.paste("object", object("7"));
  await playground.stored("replicas: 7");
  const id = await shareOn(request, { crd, object: object("2") });
  await playground.open(`/s/${id}`);
  expect(await playground.text("object")).toContain("replicas: 2");
});

test("the short link is recommended when the other link is long", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const noise = Array.from({ length: 1500 }, (_, i) => `# ${Math.sin(i)}`).join("\n");
  await playground.paste("crd", `${crd}${noise}`);
  await page.locator("#share-open").click();
  await expect(page.locator("#share-length")).toContainText("KB long");
  await expect(page.locator("#short-make")).toHaveClass(/is-primary/);
  await expect(page.locator("#short-make")).toBeFocused();
});

async function withoutScript(browser: Browser): Promise<Playground> {
  const context = await browser.newContext({ javaScriptEnabled: false });
  return new Playground(await context.newPage());
}

test("without JavaScript, a short link shows the documents and the result", async ({ browser, request, baseURL }) => {
  const id = await shareOn(request, { crd, object: object("15") });
  const playground = await withoutScript(browser);
  await playground.page.goto(`${baseURL}/s/${id}`);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(playground.verdict("object")).toContainText("should be less than or equal to 10");
  await expect(playground.page.locator("[data-editor=crd] textarea")).toHaveValue(crd);
  await playground.page.context().close();
});

test("another site may frame the result, and only that", async ({ browser, request, baseURL }) => {
  const id = await shareOn(request, { crd, object: object("15") });
  const site = createServer((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(`<iframe name="embed" src="${baseURL}/embed/${id}"></iframe><iframe name="page" src="${baseURL}/s/${id}"></iframe>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const page = await browser.newPage();
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`);
  const embedded = page.frameLocator("[name=embed]");
  await expect(embedded.locator("[data-verdict=object]")).toHaveAttribute("data-state", "rejected");
  await expect(embedded.getByText("Open in crdlab")).toHaveAttribute("href", `/s/${id}`);
  await expect(page.frameLocator("[name=page]").locator("[data-verdict=object]")).toHaveCount(0);
  await page.close();
  site.close();
});

test("markup in a shared scenario stays text, with a script in the page and without", async ({ playground, request, browser, baseURL }) => {
  const id = await shareOn(request, { crd: hostileCRD, object: hostileObject("15") });
  for (const path of [`/s/${id}`, `/embed/${id}`]) {
    await playground.page.goto(path);
    await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
    expect(await playground.page.evaluate(() => "pwned" in window)).toBe(false);
    expect(await playground.page.locator("img").count()).toBe(0);
  }
  const quiet = await withoutScript(browser);
  await quiet.page.goto(`${baseURL}/s/${id}`);
  await expect(quiet.page.locator("[data-editor=crd] textarea")).toHaveValue(hostileCRD);
  expect(await quiet.page.locator("img").count()).toBe(0);
  await quiet.page.context().close();
});

test("an unknown link shows an error", async ({ page }) => {
  const response = await page.goto("/s/0000000000000000000");
  expect(response?.status()).toBe(404);
  await expect(page.locator("h1")).toHaveText("No such link");
});
