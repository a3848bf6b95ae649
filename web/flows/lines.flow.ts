import { expect, test } from "./playground";
import { crd, object } from "./texts";

test("a stored line shows its origin and schema node, and opens the node; the node marks its lines", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3").replace(/ {2}replicas.*\n/, ""));
  const line = (text: string) => page.locator("#panel-outcome .state .yaml-line", { hasText: text });
  const chip = page.locator(".line-chip");
  // The highlight disappears, so the flow must wait for it beforehand.
  const flashed = (text: string) => playground.editor("crd").locator(".cm-flash", { hasText: text }).waitFor();
  const marked = page.locator("#panel-outcome .state .yaml-line.is-at-cursor");

  await line("cronSpec").hover();
  await expect(chip).toHaveText("unchanged · properties[spec].properties[cronSpec] · CRD line 26");
  await line("name: my-cron").hover();
  await expect(chip).toHaveCount(0);
  const shown = flashed("cronSpec");
  await line("cronSpec").click();
  await expect(page.locator("#tab-crd")).toHaveAttribute("aria-selected", "true");
  await shown;
  await expect(playground.editor("crd").locator(".cm-activeLine")).toContainText("cronSpec");
  await expect(marked).toHaveText(/cronSpec/);

  // The cursor in a schema node marks the lines of that node.
  await playground.editor("crd").getByText("maximum: 10").click();
  await expect(marked).toHaveText(/replicas: 1.*defaulted/);
  await playground.editor("crd").getByText("shortNames").click();
  await expect(marked).toHaveCount(0);

  await page.mouse.move(2, 2);
  await page.locator("#panel-outcome").focus();
  while (!(await page.evaluate(() => document.activeElement?.classList.contains("yaml")))) await page.keyboard.press("Tab");
  await page.keyboard.press("End");
  await expect(chip).toHaveText("properties[spec].properties[replicas]");
  await page.keyboard.press("ArrowUp");
  await expect(chip).toContainText("cronSpec");
  await page.keyboard.press("End");
  const shownAgain = flashed("replicas");
  await page.keyboard.press("Enter");
  await shownAgain;
  await expect(playground.editor("crd").locator(".cm-activeLine")).toContainText("replicas");
});
