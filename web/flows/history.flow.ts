import { settled } from "./kept";
import { expect, type Page, firstVisit, test } from "./playground";

const own = "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata:\n  name: my-own-work\n";

function rows(page: Page) {
  return page.locator("#history-list .history-entry");
}

async function openHistory(page: Page): Promise<void> {
  await page.locator("#history-open").click();
  await expect(page.locator("#history")).toBeVisible();
}

test("documents that an example replaces are in the history, and come back", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await openHistory(page);
  await expect(page.locator("#history-empty")).toHaveText("No replaced documents yet.");
  await page.keyboard.press("Escape");

  await playground.paste("object", own);
  await playground.choose("conversion-pizza");
  await openHistory(page);
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).locator("strong")).toHaveText("CronTab my-own-work · crontabs.stable.example.com");
  await rows(page).locator("[data-restore]").click();
  await playground.settled();
  expect(await playground.text("object")).toBe(own);

  // An unchanged example is no work, and the same work is one entry.
  await playground.choose("conversion-pizza");
  await openHistory(page);
  await expect(rows(page)).toHaveCount(1);
});

firstVisit("an edit in another tab keeps the documents of the last session", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("object", own);
  await playground.stored("my-own-work");
  await page.close();

  const next = await page.context().newPage();
  await next.goto("/#example=conversion-pizza");
  await settled(next);
  await openHistory(next);
  await expect(next.locator("#history-empty")).toBeVisible();
  await next.keyboard.press("Escape");
  await next.locator("[data-editor=object] .cm-content").click();
  await next.keyboard.type("# seen");
  await expect.poll(() => next.evaluate(() => localStorage.getItem("crdlab.session"))).toContain("# seen");
  await openHistory(next);
  await expect(rows(next).locator("strong")).toHaveText("CronTab my-own-work · crontabs.stable.example.com");
  await next.reload();
  await openHistory(next);
  await rows(next).getByRole("button", { name: "Delete CronTab my-own-work" }).click();
  await expect(rows(next)).toHaveCount(0);
  await expect(next.locator("#history-empty")).toBeVisible();
  await next.reload();
  await openHistory(next);
  await expect(next.locator("#history-empty")).toHaveText("No replaced documents yet.");
});

test("the history keeps the last 50 entries", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve) => {
      const request = indexedDB.open("crdlab", 1);
      request.onupgradeneeded = () => request.result.createObjectStore("history", { keyPath: "id", autoIncrement: true });
      request.onsuccess = () => resolve(request.result);
    });
    const store = database.transaction("history", "readwrite").objectStore("history");
    for (let i = 1; i <= 50; i++) store.add({ at: i, scenario: { crd: "", object: `kind: Old\nname: old-${i}\n` } });
    database.close();
  });
  await playground.paste("object", own);
  await playground.choose("conversion-pizza");
  await openHistory(page);
  await expect(rows(page)).toHaveCount(50);
  await expect(rows(page).first()).toContainText("my-own-work");
  await expect(rows(page).last()).toContainText("old-2");
});
