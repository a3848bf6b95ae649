import { expect, Playground, firstVisit, test } from "./playground";
import { crd, object } from "./texts";

firstVisit("the first load shows an example and its result", async ({ playground }) => {
  await playground.open();
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  await expect(playground.verdict("object")).toBeVisible();
  expect(await playground.text("crd")).toContain("kind: CustomResourceDefinition");
});

firstVisit("a click before the script is loaded counts", async ({ playground: { page } }) => {
  let load = (): void => {};
  const isAsked = new Promise<void>((resolve) => (load = resolve));
  await page.route(/\/main-[^/]*\.js$/, async (route) => {
    await isAsked;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  await page.locator("#gallery-open").click();
  await expect(page.locator("#gallery")).toBeHidden();
  load();
  await expect(page.locator("#gallery")).toBeVisible();
});

test("an edit marks its line and lists the problem, which links to it", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.problems()).toHaveCount(0);

  await playground.editor("object").getByText("replicas").click();
  await page.keyboard.press("End");
  await page.keyboard.type("0");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  const marked = playground.page.locator("[data-editor=object] .cm-lintRange-error");
  await expect(marked.first()).toBeVisible();
  await expect(playground.problems().first()).toContainText("should be less than or equal to 10");
  await expect(page.locator("#tab-object .count")).toHaveText(/^[12]/);

  await page.keyboard.press("ControlOrMeta+Home");
  await playground.showDocument("crd");
  await playground.problems().first().locator(".problem-actions .problem-place").click();
  await expect(page.locator("#tab-object")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("[data-editor=object] .cm-activeLine")).toContainText("replicas: 30");

  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(marked).toHaveCount(0);
});

test("every example shows its verdict", { tag: "@nightly" }, async ({ playground }) => {
  test.setTimeout(600_000);
  const { page } = playground;
  await playground.open();
  const ids = await page.locator("[data-example]").evaluateAll((entries) =>
    entries.map((entry) => entry.getAttribute("data-example") ?? ""),
  );
  expect(ids.length).toBeGreaterThan(3);
  const seen = new Set<string>();
  for (const id of ids) {
    await playground.openExample(id);
    await expect(playground.verdict("crd")).toHaveAttribute("data-state", /accepted|rejected/);
    seen.add(await playground.text("crd"));
  }
  expect(seen.size).toBeGreaterThan(3);
});

test("a link restores the documents and the result in another browser", async ({ playground, browser, baseURL }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  const link = await playground.shareLink();
  expect(link).toContain(`${baseURL}/#1=`);
  await page.keyboard.press("Escape");
  const before = await playground.html();

  const context = await browser.newContext();
  const other = new Playground(await context.newPage());
  await other.open(link);
  await expect(other.where()).toHaveText(/in this page/);
  await other.settled();
  expect(await other.text("crd")).toBe(await playground.text("crd"));
  expect(await other.text("object")).toBe(await playground.text("object"));
  expect(await other.html()).toEqual(before);
  await context.close();
});

test("a link is followed, although the address shows the documents again", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("crontab-rules");
  // The page may update the address before the browser announces the link.
  await page.evaluate(() => {
    const before = location.href;
    location.hash = "#example=apply-conflict";
    history.replaceState(null, "", before);
  });
  await expect(playground.verdict("object")).toContainText('conflict with "autoscaler"');
  await expect(page).toHaveURL(/#example=apply-conflict/);
});

test("a reload keeps the last edit, although the address lacks it", async ({ playground }) => {
  await playground.open("/#example=crontab-rules&panel=rules");
  await playground.showDocument("object");
  await playground.editor("object").focus();
  await playground.page.keyboard.press("ControlOrMeta+End");
  await playground.page.keyboard.insertText("# the last word");
  await playground.page.reload();
  await expect(playground.editor("object")).toContainText("# the last word");
});

test("a reload keeps edits", async ({ playground }) => {
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("7"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await playground.stored("replicas: 7");
  await playground.page.reload();
  await playground.settled();
  expect(await playground.text("object")).toContain("replicas: 7");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
});

test("the address holds a long document after a pause, and the storage before", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd + `# ${"a".repeat(70)}\n`.repeat(2000));
  await expect(page).toHaveURL(/#1=/);
  await playground.editor("crd").focus();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# typed last ");
  // The page learns of typed characters after the next frame.
  await page.waitForFunction(() => location.hash === "");
  await page.reload();
  expect(await playground.text("crd")).toMatch(/^# typed last apiVersion/);
});

test("without JavaScript the page shows the example's result", async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const playground = new Playground(await context.newPage());
  await playground.page.goto(baseURL ?? "");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  await expect(playground.verdict("object")).toBeVisible();
  await context.close();
});
