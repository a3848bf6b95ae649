import { expect, firstVisit, test } from "./playground";

test("the menu fills a document in two clicks: with a copy or with a template", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("conversion-pizza");
  const row = (name: string) => page.locator("#document-menu .menu-row", { has: page.locator(`[data-open=${name}]`) });

  await page.locator("#document-add").click();
  await row("oldObject").getByRole("button", { name: "Copy from Object" }).click();
  await playground.settled();
  expect(await playground.text("oldObject")).toBe(await playground.text("object"));

  await page.locator("#document-add").click();
  await row("admission").getByRole("button", { name: "Start with a template" }).click();
  await expect.poll(() => playground.text("admission")).toContain("resources: [pizzas]");
  await playground.settled();
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");

  // A template never replaces a document.
  const conversion = await playground.text("conversion");
  await page.locator("#document-add").click();
  await row("conversion").getByRole("button", { name: "Start with a template" }).click();
  expect(await playground.text("conversion")).toBe(conversion);
});

firstVisit("the share dialog embeds and prints in two clicks", async ({ playground }) => {
  const { page } = playground;
  await page.addInitScript(() => {
    window.print = () => document.body.setAttribute("data-printed", "");
  });
  await playground.open();
  await page.locator("#share-open").click();
  await page.locator("#share-embed summary").click();
  await expect(page.locator("#share-snippet")).toHaveValue(/^<iframe src="http.*\/embed\/[\w-]+"/);
  const preview = await page.context().newPage();
  await preview.goto((await page.locator("#share-preview").getAttribute("href")) ?? "");
  await expect(preview.locator(".verdict").first()).toBeVisible();
  await preview.close();
  await page.locator("#share-print").click();
  await expect(page.locator("body")).toHaveAttribute("data-printed", "");
});
