import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "@playwright/test";

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface AxeResult {
  readonly violations: readonly { id: string; help: string; nodes: readonly { html: string }[] }[];
}

interface Axe {
  run(options: object): Promise<AxeResult>;
}

/** Lists the findings of axe, which checks the accessibility of the page. It would also describe the nodes without findings. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe };
    // A fixed bar covers half a control wherever the page is scrolled to.
    const bars = document.querySelectorAll<HTMLElement>(".jump-bar, a.brief");
    for (const bar of bars) bar.style.position = "static";
    const options = { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"], selectors: false };
    const result = await axe.run(options);
    for (const bar of bars) bar.style.position = "";
    return result.violations;
  });
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" ")}`);
}
