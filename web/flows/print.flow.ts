import { expect, test } from "./playground";

test("the verdict, the problems and the whole documents are printed, in light colours", async ({ playground }) => {
  const { page } = playground;
  await page.emulateMedia({ colorScheme: "dark" });
  await playground.openExample("crontab-validation");
  const long = `${await playground.text("object")}\n${Array.from({ length: 300 }, (_, i) => `# line ${i}`).join("\n")}\n`;
  await playground.paste("object", long);
  expect(await playground.text("object")).not.toContain("# line 150");

  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const texts = page.locator(".print-documents");
  await expect(texts).toContainText("kind: CustomResourceDefinition");
  await expect(texts).toContainText("# line 0\n");
  await expect(texts).toContainText("# line 299\n");
  for (const part of [playground.verdict("object"), playground.problems().first(), texts]) await expect(part).toBeVisible();
  for (const part of ["#tab-object", "#share-open", "[data-editor=object]", "[data-panel=brief]", ".copy"]) {
    await expect(page.locator(part).first()).toBeHidden();
  }
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe("rgb(27, 28, 31)");
  await page.setViewportSize({ width: 720, height: 1000 });
  await page.screenshot({ path: "test-results/pictures/print.png", fullPage: true });

  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await expect(texts).toHaveCount(0);
  await expect(page.locator("#share-open")).toBeVisible();
});

test("printing notifies the page, and another panel prints with a short verdict", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("trace");
  await playground.showPanel("rules");
  await page.evaluate(() => addEventListener("beforeprint", () => {
    document.body.dataset["printed"] = document.querySelector(".print-documents")?.textContent ?? "";
  }));
  await page.pdf({ format: "A4" });
  await expect(page.locator("body")).toHaveAttribute("data-printed", /kind: CustomResourceDefinition/);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator("[data-panel=brief]")).toContainText("Rejected");
  await expect(page.locator("[data-panel=brief]")).toBeVisible();
});
