import { KeptPage } from "./kept";
import { expect, firstVisit as test, Playground } from "./playground";
import { crd, object } from "./texts";

test("a reset page is as new: documents, options, storage, size and focus", async ({ browser, baseURL }) => {
  const kept = new KeptPage();
  const page = await kept.open(browser, baseURL ?? "");
  const playground = new Playground(page, true);
  const start = async (): Promise<string[]> => (await playground.text("crd")).split("\n", 8);
  const [focused, example] = [await page.evaluate(() => document.activeElement?.tagName), await start()];

  await page.setViewportSize({ width: 390, height: 800 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.route("**/examples.json", (route) => route.abort());
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await playground.showDocument("oldObject");
  await playground.showPanel("rules");
  await page.locator("#share-open").click();
  await page.evaluate(() => localStorage.setItem("crdlab.other", "x"));
  await kept.release();

  expect(kept.differences).toEqual([]);
  expect(await kept.open(browser, baseURL ?? "")).toBe(page);
  expect(page.viewportSize()).toEqual({ width: 1280, height: 720 });
  expect(await page.evaluate(() => [document.activeElement?.tagName, localStorage.getItem("crdlab.other")])).toEqual([focused, null]);
  expect(await start()).toEqual(example);
  await expect(page.locator("#tab-outcome")).toHaveAttribute("aria-selected", "true");
  await page.locator("#history-open").click();
  await expect(page.locator("#history .history-entry")).toHaveCount(0);
  await kept.close();
});

test("a page that a reset cannot restore is closed", async ({ browser, baseURL }) => {
  const kept = new KeptPage();
  const page = await kept.open(browser, baseURL ?? "");
  await page.locator("#theme").click();
  await kept.release();
  expect(kept.differences).toHaveLength(1);
  expect(page.isClosed()).toBe(true);
  const next = await kept.open(browser, baseURL ?? "");
  await expect(next.locator("html")).not.toHaveAttribute("data-theme");
  await kept.close();
});
