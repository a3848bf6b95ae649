import { expect, Playground, test } from "./playground";
import { crd, object } from "./texts";

test("without the engine in the page the server gives the same result", async ({ playground, browser, baseURL }) => {
  await playground.page.route(/\.wasm$/, (route) => route.abort());
  await playground.open();
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

test("an evaluation that does not end is stopped, and the next one works", async ({ playground }) => {
  test.setTimeout(120_000);
  // The engine's limits leave no input that surely runs away; this stands for it.
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
  await expect(playground.page.locator("#notice")).toContainText("so that there is no verdict", { timeout: 40_000 });
  expect(await playground.text("object")).toContain("my-cron # run-away");

  await playground.editor("object").focus();
  for (let i = 0; i < " # run-away".length; i++) await playground.page.keyboard.press("Backspace");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(playground.page.locator("#notice")).toBeHidden();
  expect(await playground.text("object")).toBe(object("3"));
});

test("the rest of the engine is loaded when a scenario needs it, and not before", async ({ playground }) => {
  const modules: string[] = [];
  const { page } = playground;
  page.on("request", (request) => {
    if (/\.wasm$/.test(request.url())) modules.push(request.url());
  });
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await expect(playground.where()).toHaveText(/in this page/);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  expect(modules).toHaveLength(1);

  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\.wasm$/, async (route) => {
    await released;
    await route.continue();
  });
  await playground.showPanel("schema");
  await expect(page.locator("#panel-schema")).toContainText("Loading the part of the engine");
  await expect(page.locator("#engine-state")).toHaveText("Loading the rest of the engine…");
  release();
  await expect(page.locator("#panel-schema")).toContainText("GROUP:");
  await expect(page.locator("#engine-state")).toHaveText("");
  await playground.showPanel("outcome");
  await playground.paste("object", object("15"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  expect(modules).toHaveLength(2);
});
