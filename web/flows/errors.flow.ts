import { expect, test } from "./playground";
import { crd, object } from "./texts";

test("a problem links to the page that explains it, and that page opens its example", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await playground.problems().first().locator("summary").click();
  const [explained] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link", { name: "About this error" }).first().click()]);
  await expect(explained).toHaveURL(/\/errors\/out-of-range\/$/);
  await expect(explained.locator("h1")).toContainText("in body should be greater than or equal to");
  await expect(explained.locator("mark")).toHaveCount(1);
  await explained.getByRole("link", { name: "Open in the playground" }).click();
  await expect(explained.locator('[data-verdict="object"].is-rejected')).toBeVisible();
});

test("the links of a shared scenario's page lead to the error index", async ({ playground }) => {
  const { page } = playground;
  await page.goto("/s/errors/");
  await expect(page).toHaveURL(/\d\/errors\/$/);
  await expect(page.locator("h1")).toHaveText("What does this error mean?");
});

test("the search of the error index finds a pasted message and words", async ({ playground }) => {
  const { page } = playground;
  await page.goto("/errors/");
  const shown = page.locator(".entry-list li:visible");
  const all = await shown.count();
  expect(all).toBeGreaterThan(100);
  await page.locator("#search").fill('* spec.schedule: Invalid value: "every day": spec.schedule in body should match \'^\\d+$\'');
  await expect(shown).toHaveCount(1);
  await expect(shown).toContainText("should match");
  await page.locator("#search").fill("Budget rule");
  await expect(shown.first()).toContainText("estimated rule cost");
  for (const [message, code] of [
    ["spec: Invalid value: no such key: colour evaluating rule: paint", "cel-runtime"],
    ["spec.validation.openAPIV3Schema.anyOf[0].description: Forbidden: must be empty to be structural", "structural-junctor"],
  ] as const) {
    await page.locator("#search").fill(message);
    await expect(page.locator(`a[href$="/${code}/"]`)).toBeVisible();
  }
  await page.locator("#search").fill("nothing has these words");
  await expect(shown).toHaveCount(0);
  await expect(page.locator("#nothing")).toBeVisible();
  await page.locator("#search").fill("");
  await expect(shown).toHaveCount(all);
});

test("the error index works without scripts", async ({ server, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url });
  const page = await context.newPage();
  await page.goto("/errors/");
  await expect(page.locator("#search")).toBeHidden();
  await page.locator(".entry-list a").first().click();
  await expect(page.locator(".listing mark")).toHaveCount(1);
  await context.close();
});
