import { expect, panels, type Playground, test } from "./playground";
import { crd, hostileCRD, hostileObject, object } from "./texts";

async function expectInert(playground: Playground): Promise<void> {
  for (const panel of panels) {
    await playground.showPanel(panel);
    await expect(playground.page.locator("#result img, #result script, #problems img, #problems script")).toHaveCount(0);
  }
  expect(await playground.page.evaluate(() => "pwned" in window)).toBe(false);
}

test("markup in the documents stays text", async ({ playground }) => {
  await playground.open();
  await playground.paste("crd", hostileCRD);
  for (const replicas of ["3", "7", "15"]) {
    await playground.paste("object", hostileObject(replicas));
    await expectInert(playground);
  }
  await playground.showPanel("outcome");
  await expect(playground.page.locator("#result")).toContainText("<img src=x");
  await playground.paste("crd", hostileCRD.replace("type: object", 'type: "<img src=x onerror=window.pwned=1>"'));
  await expectInert(playground);
});

const broken: Record<string, string> = {
  "broken YAML": "spec: [",
  "binary junk": "\u0000\u0001\ufffd\u202e\u2028".repeat(50),
  "an alias bomb": "a: &a [x]\n" + Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : "a"}, *${i ? `b${i - 1}` : "a"}]`).join("\n"),
  "10,000 levels": "[".repeat(10_000) + "]".repeat(10_000),
  "5 MB": "x: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(83_000),
  "a Deployment": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n",
};

test("whatever is no CRD or no object is a finding, and nothing breaks", async ({ playground }) => {
  test.setTimeout(240_000);
  await playground.open();
  for (const [name, text] of Object.entries(broken)) {
    await test.step(name, async () => {
      await playground.paste("crd", crd);
      await playground.paste("object", text);
      await playground.showPanel("outcome");
      await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
      await expect(playground.problems().first()).toBeVisible();

      await playground.paste("object", object("3"));
      await playground.paste("crd", text);
      await expect(playground.problems().first()).toBeVisible();
      for (const panel of panels) {
        await playground.showPanel(panel);
        await expect(playground.page.locator(`[data-panel=${panel}]`)).not.toBeEmpty();
      }
    });
  }
  await test.step("nothing", async () => {
    await playground.paste("crd", "");
    await playground.paste("object", "");
    for (const panel of panels) {
      await playground.showPanel(panel);
      await expect(playground.page.locator(`[data-panel=${panel}]`)).not.toBeEmpty();
    }
  });
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await playground.showPanel("outcome");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.where()).toHaveText(/in this page/);
});
