import { expect, Playground, firstVisit as test } from "./playground";
import { Profile } from "./profile";

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
