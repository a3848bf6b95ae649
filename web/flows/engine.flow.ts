import { expect, Playground, firstVisit as test } from "./playground";
import { crd, object } from "./texts";

test("without the engine in the page the server gives the same result", async ({ playground, browser, baseURL }) => {
  await playground.page.route(/\.wasm$/, (route) => route.abort());
  await playground.open();
  await playground.paste("crd", crd);
  await playground.page.locator("#permission-grant").click();
  await expect(playground.where()).toHaveText(/on the server/);

  const context = await browser.newContext({ ...(baseURL ? { baseURL } : {}) });
  const inPage = new Playground(await context.newPage());
  await inPage.open();
  await expect(inPage.where()).toHaveText(/in this page/);

  for (const replicas of ["3", "7", "15", "[", "null"]) {
    for (const one of [playground, inPage]) {
      await one.paste("crd", crd);
      await one.paste("object", object(replicas));
    }
    expect(await playground.html()).toEqual(await inPage.html());
  }
  await context.close();
});

test("an endless evaluation is stopped, and the next one works", async ({ playground }) => {
  test.setTimeout(120_000);
  // The engine's limits allow no endless evaluation, so the flow simulates one.
  const runaway = `;(() => {
    let show;
    Object.defineProperty(globalThis, "crdlabShow", {
      set(value) { show = value; },
      get: () => (view, documents) => { while (documents.object?.includes("run-away")); return show(view, documents); },
    });
  })();`;
  await playground.page.route(/wasm_exec/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()) + runaway });
  });
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");

  await playground.editor("object").getByText("my-cron").click();
  await playground.page.keyboard.press("End");
  await playground.page.keyboard.type(" # run-away");
  await expect(playground.page.locator("#notice")).toContainText("There is no verdict", { timeout: 40_000 });
  expect(await playground.text("object")).toContain("my-cron # run-away");

  await playground.editor("object").focus();
  for (let i = 0; i < " # run-away".length; i++) await playground.page.keyboard.press("Backspace");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(playground.page.locator("#notice")).toBeHidden();
  expect(await playground.text("object")).toBe(object("3"));
});

test("the report on a changed CRD precedes the search for objects that break", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("object", object("3"));
  await playground.paste("oldCrd", crd);
  await expect(playground.where()).toHaveText(/in this page/);
  await page.evaluate(() => {
    const state = document.getElementById("engine-state") ?? document.body;
    const said: (string | null)[] = [];
    new MutationObserver(() => said.push(state.textContent)).observe(state, { childList: true });
    Object.assign(globalThis, { said });
  });

  await playground.paste("crd", crd.replace("maximum: 10", "maximum: 9"));
  await playground.settled();
  expect(await page.evaluate(() => (globalThis as unknown as { said: string[] }).said)).toContain("Looking for objects that break…");
  await page.locator("#tab-changes").click();
  await expect(page.locator("[data-panel=changes]")).toContainText("replicas: 10");
});
