import { statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "./playground";

/** The maximum size of a picture in bytes: every reader of the README loads one. */
const maxBytes = 300_000;

/** The example in the pictures, which opens first: a pruned field, a default and a rule. */
const example = "crontab-stored";

/** The time until the browser has optimized the engine, in ms. */
const warmUp = 3_000;

for (const colorScheme of ["light", "dark"] as const) {
  test(`picture of the page in ${colorScheme} mode`, async ({ playground }) => {
    const { page } = playground;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width: 1280, height: 800 });
    // The picture shows the times of a warm engine.
    await playground.openExample("crontab-rules");
    await expect(playground.where()).toHaveText(/in this page/);
    await page.waitForTimeout(warmUp);
    await playground.choose(example);
    await page.mouse.move(0, 0); // away from elements that react to the pointer
    const path = fileURLToPath(new URL(`../../docs/${colorScheme}.png`, import.meta.url));
    await page.screenshot({ path, caret: "hide", animations: "disabled" });
    expect(statSync(path).size, "bytes").toBeLessThan(maxBytes);
  });
}
