import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, type Page, panels, test } from "./playground";
import { crd, object } from "./texts";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly { id: string; help: string; nodes: readonly { html: string }[] }[];
}

/** Lists axe's findings. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  const result = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(options: object): Promise<AxeResult> } }).axe.run({ rules: { "target-size": { enabled: true } } }));
  return result.violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" ")}`);
}

/** Examples with parts that other results lack. */
const scenes = [
  ["trace", "rules"],
  ["conversion-pizza", "versions"],
  ["conversion-failed", "outcome"],
  ["crd-changes", "outcome"],
  ["upgrade-v1beta1", "outcome"],
  ["admission-unknown-topping", "outcome"],
  ["apply-conflict", "outcome"],
  ["scale-subresource", "versions"],
] as const;

// The screenshots in test-results are for people.
for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, width] of [["wide", 1440], ["narrow", 360]] as const) {
    test(`${colorScheme} and ${size}, every panel is accessible`, async ({ playground }) => {
      test.slow();
      const { page } = playground;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      await playground.open();
      await playground.paste("crd", crd);
      for (const replicas of ["3", "15"]) {
        await playground.paste("object", object(replicas));
        for (const panel of panels) {
          await playground.showPanel(panel);
          await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-${replicas}-${panel}.png`, fullPage: true });
          expect(await findings(page), `${panel} of ${replicas} replicas`).toEqual([]);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow, "pixels that stick out to the right").toBeLessThanOrEqual(0);
        }
      }
      for (const [example, panel] of scenes) {
        await playground.choose(example);
        await playground.showPanel(panel);
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-${example}.png`, fullPage: true });
        expect(await findings(page), example).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `pixels that stick out to the right in ${example}`).toBeLessThanOrEqual(0);
      }
      await page.locator("#document-add").click();
      await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-menu.png` });
      expect(await findings(page), "menu").toEqual([]);
      await page.locator("#address-open").click();
      await page.locator("#address-input").fill("http://files.example.com");
      await page.keyboard.press("Enter");
      await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-address.png` });
      expect(await findings(page), "address").toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("#document-add").click();
      await page.locator("[data-open=oldCrd]").click();
      expect(await findings(page), "an empty document").toEqual([]);
      for (const dialog of ["share", "shortcuts", "gallery"]) {
        await page.locator(`#${dialog}-open`).click();
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-${dialog}.png` });
        expect(await findings(page), dialog).toEqual([]);
        await page.keyboard.press("Escape");
      }
    });

    test(`${colorScheme} and ${size}, the console and the description of a stored line are accessible`, async ({ playground }) => {
      const { page } = playground;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      await playground.open();
      await playground.paste("crd", crd);
      await playground.paste("object", object("3").replace(/ {2}replicas.*\n/, ""));
      await page.locator(".state .yaml-line", { hasText: "replicas: 1" }).hover();
      await expect(page.locator(".line-chip")).toContainText("properties[replicas]");
      await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-chip.png` });
      expect(await findings(page), "chip").toEqual([]);

      await page.keyboard.press("Alt+Shift+C");
      for (const [name, expression, wanted] of [["value", "self.spec.replicas > 5 || has(self.spec.image)", ".console-value"], ["error", "self.spec.replica > 5", ".console-errors"]] as const) {
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.insertText(expression);
        await expect(page.locator(`#console-result ${wanted}`)).toBeVisible();
        await page.keyboard.press("Escape");
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-console-${name}.png` });
        expect(await findings(page), `the console with the ${name}`).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `pixels that stick out to the right with the ${name}`).toBeLessThanOrEqual(0);
      }
    });
  }
}
