import { expect, test } from "./playground";

test("the search of the documents finds a section and an error", async ({ playground }) => {
  const { page } = playground;
  await page.goto("/docs/cli/check/");
  const found = page.locator("#found a");
  await page.locator("#search-docs").fill("threat model");
  await expect(found.first()).toContainText("Security › Threat model");
  await page.locator("#search-docs").fill("should be greater than or equal to");
  await expect(found.first()).toHaveAttribute("href", /^\.\.\/\.\.\/\.\.\/errors\//);
  await page.locator("#search-docs").fill("write-once");
  await expect(found.first()).toHaveAttribute("href", "../../../learn/transition-once-assigned/");
  await page.locator("#search-docs").fill("qqq");
  await expect(page.locator("#nothing")).toBeVisible();
  await page.locator("#search-docs").fill("");
  await expect(page.locator("#nothing")).toBeHidden();
});

test("a step of the tour is done as soon as everything is accepted", async ({ playground }) => {
  const { page } = playground;
  await page.goto("/learn/tour/");
  await expect(page.locator(".tour .is-accepted")).toHaveCount(0);
  await page.getByRole("link", { name: "Open step 4 " }).click();
  await playground.settled();
  await expect(page.locator('[data-verdict="object"].is-rejected')).toBeVisible();
  const task = page.locator("#tour [data-step]:visible");
  await expect(task).toContainText("Step 4 of 10 Set spec.replicas to 10, the value of spec.maxReplicas.");
  await expect(task.locator(".tour-next")).toBeHidden();
  const text = await playground.editor("object").innerText();
  await playground.paste("object", text.replace("replicas: 20", "replicas: 10"));
  await expect(task).toContainText("Done.");
  await page.reload();
  await expect(task, "after a reload").toContainText("Done.");
  await task.locator(".tour-next").click();
  await expect(task).toContainText("Step 5 of 10");
  await task.getByRole("link", { name: "Step 5 of 10" }).click();
  await expect(page).toHaveURL(/\/learn\/tour\/#step-5$/);
  await expect(page.locator("#step-4 .is-accepted")).toHaveText("Done");
  await expect(page.locator(".tour .is-accepted")).toHaveCount(1);

  await page.getByRole("link", { name: "Open step 5 " }).click();
  await playground.choose("crontab-valid");
  await expect(page.locator('[data-verdict="object"].is-accepted')).toBeVisible();
  await expect(page.locator("#tour"), "in another example").toBeHidden();
});

test("a CRD in a document runs in the playground", async ({ page }) => {
  await page.goto("/docs/cli/#test-rules");
  await page.getByRole("button", { name: "Run" }).click();
  const playground = page.frameLocator("crd-lab iframe");
  await expect(playground.locator('[data-panel="brief"]')).toContainText("2 objects, CRD");
  await expect(playground.locator("#where")).toHaveText(/in this page/);
  await expect(page.locator("pre.is-runnable")).toBeHidden();
});

test("the documents and examples work without scripts", async ({ server, browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: server.url });
  const page = await context.newPage();
  await page.goto("/docs/");
  await expect(page.locator("#search-docs")).toBeHidden();
  await page.getByRole("link", { name: "Architecture" }).click();
  await expect(page.locator("h1")).toHaveText("Architecture");
  await page.locator(".docs-menu").getByRole("link", { name: "Caches" }).click();
  await expect(page).toHaveURL(/\/docs\/architecture\/#caches$/);
  await page.locator(".site-header").getByRole("link", { name: "Learn" }).click();
  await page.getByRole("link", { name: /^CronTab: invalid values/ }).click();
  await expect(page.locator(".listing mark")).toHaveCount(2);
  await expect(page.locator(".output").last()).toContainText("should be less than or equal to 10");
  await context.close();
});
