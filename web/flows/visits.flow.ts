import { expect, Playground, firstVisit as test } from "./playground";
import { Profile } from "./profile";
import { crd, object } from "./texts";

test("the browser keeps the engine's optimized code for the next visit @nightly", async ({ server }) => {
  const profile = new Profile();
  const context = await profile.start();
  const playground = new Playground(await context.newPage());
  await playground.open(server.url);
  await expect(playground.where()).toHaveText(/in this page/);
  // The code of an engine that was started, but hardly ran, has 12 KiB.
  await expect.poll(() => profile.codeSize()).toBeGreaterThan(4 << 10);
  await context.close();
  profile.remove();
});

test("the next visit shows the last answer until the engine has started", async ({ page, playground }) => {
  await playground.open();
  await expect(playground.where()).toHaveText("in this page, nothing sent");
  await playground.paste("crd", crd);
  await playground.paste("object", object("-1"));
  await playground.stored("replicas: -1");
  await playground.stored("should be greater than or equal to 1", "crdlab.answer");

  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\.wasm$/, async (route) => {
    await released;
    await route.continue();
  });
  await page.reload();
  await expect(playground.where()).toHaveText("in this page, at your last visit");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(playground.problems()).toContainText(["should be greater than or equal to 1"]);
  await expect(page.locator("#result")).toHaveJSProperty("pending", false);

  // The answer belongs to the kept document.
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  for (let i = 0; i < "-1\n".length; i++) await page.keyboard.press("Backspace");
  await page.keyboard.type("4");
  await expect(page.locator("#result")).toHaveJSProperty("pending", true);
  release();
  await expect(playground.where()).toHaveText("in this page, nothing sent");
  await expect(playground.problems()).toHaveCount(0);
});
