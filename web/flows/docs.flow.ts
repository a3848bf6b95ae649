import { expect, test } from "./playground";

test("the search of the documents finds a section and an error", async ({ playground }) => {
  const { page } = playground;
  await page.goto("/docs/cli/check/");
  const found = page.locator("#found a");
  await page.locator("#search-docs").fill("threat model");
  await expect(found.first()).toContainText("Security › Threat model");
  await page.locator("#search-docs").fill("should be greater than or equal to");
  await expect(found.first()).toHaveAttribute("href", /^\.\.\/\.\.\/\.\.\/errors\//);
  await page.locator("#search-docs").fill("qqq");
  await expect(page.locator("#nothing")).toBeVisible();
  await page.locator("#search-docs").fill("");
  await expect(page.locator("#nothing")).toBeHidden();
});

test("the documents work without scripts", async ({ server, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url });
  const page = await context.newPage();
  await page.goto("/docs/");
  await expect(page.locator("#search-docs")).toBeHidden();
  await page.getByRole("link", { name: "Architecture" }).click();
  await expect(page.locator("h1")).toHaveText("Architecture");
  await page.locator(".docs-menu").getByRole("link", { name: "Caches" }).click();
  await expect(page).toHaveURL(/\/docs\/architecture\/#caches$/);
  await context.close();
});
