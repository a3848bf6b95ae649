import { expect, type Page, test } from "./playground";

/** Shows the page as on paper. */
async function showPaper(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.locator(".print-head")).toBeVisible();
}

/** Asserts that nothing on the paper is a control or exceeds its width. */
async function expectOnlyText(page: Page): Promise<void> {
  await page.setViewportSize({ width: 720, height: 1000 });
  for (const control of ["input", "select", "textarea", "a[href]", ".button", ".tool", ".fix", "[role=tab]", ".cm-editor"]) {
    await expect(page.locator(control).filter({ visible: true }), control).toHaveCount(0);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(720);
}

test("the verdict, the problems and the whole documents are printed, in light colours", async ({ playground }) => {
  const { page } = playground;
  await page.emulateMedia({ colorScheme: "dark" });
  await playground.openExample("crontab-validation");
  const long = `${await playground.text("object")}\n${Array.from({ length: 300 }, (_, i) => `# line ${i}`).join("\n")}\n`;
  await playground.paste("object", long);
  expect(await playground.text("object")).not.toContain("# line 150");

  await showPaper(page);
  const texts = page.locator(".print-documents");
  await expect(texts).toContainText("kind: CustomResourceDefinition");
  await expect(texts).toContainText("# line 0\n");
  await expect(texts).toContainText("# line 299\n");
  for (const part of [playground.verdict("object"), playground.problems().first(), texts]) await expect(part).toBeVisible();
  for (const part of ["#tab-object", "#share-open", "[data-editor=object]", "[data-panel=brief]", ".copy"]) {
    await expect(page.locator(part).first()).toBeHidden();
  }
  expect(await page.evaluate(() => getComputedStyle(document.body).color)).toBe("rgb(27, 28, 31)");
  await expectOnlyText(page);
  await page.screenshot({ path: "test-results/pictures/print.png", fullPage: true });

  await page.emulateMedia({ media: null });
  await expect(texts).toHaveCount(0);
  await expect(page.locator(".print-head")).toHaveCount(0);
  await expect(page.locator("#share-open")).toBeVisible();
});

test("a refused object is printed with its verdict, the options of the request, and each message", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("crontab-validation");
  await page.locator("#theme").click();
  await page.locator("#theme").click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.locator("#operation").selectOption("apply");
  await page.locator("#validation").selectOption("Warn");
  await page.locator("#kubernetes").selectOption("1.34");
  await page.locator("#field-manager").fill("my-controller");
  await page.locator("#force").check();
  await playground.settled();
  const open = page.locator("#problems .problem > details[open]");
  await expect(open).toHaveCount(0);

  await showPaper(page);
  const head = page.locator(".print-head");
  await expect(head).toContainText("Rejected 422 Invalid");
  await expect(head.locator("code")).toHaveText([
    "Object: server-side apply", "--field-manager=my-controller", "--force-conflicts", "CRD: auto: create", "Kubernetes: 1.34", "--validate=warn",
  ]);
  const message = page.locator("#problems .problem-verbatim").filter({ hasText: "should be less than or equal to 10" });
  await expect(message).toBeVisible();
  await expect(playground.verdict("crd")).toBeVisible();
  expect(await head.evaluate((section) => getComputedStyle(section).color)).toBe("rgb(27, 28, 31)");
  await expectOnlyText(page);
  await page.screenshot({ path: "test-results/pictures/print-refused.png", fullPage: true });

  await page.emulateMedia({ media: null });
  await expect(open).toHaveCount(0);
  await page.locator("#theme").click();
});

test("printing notifies the page, and another panel prints with the verdict", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("trace");
  await playground.showPanel("rules");
  await page.evaluate(() => addEventListener("beforeprint", () => {
    document.body.dataset["printed"] = document.querySelector(".print-documents")?.textContent ?? "";
  }));
  await page.pdf({ format: "A4" });
  await expect(page.locator("body")).toHaveAttribute("data-printed", /kind: CustomResourceDefinition/);
  await expect(page.locator(".print-documents")).toHaveCount(0);
  await showPaper(page);
  await expect(page.locator(".print-head")).toContainText("Rejected");
  await expect(page.locator("#panel-rules .rule").first()).toBeVisible();
  await expectOnlyText(page);

  await page.emulateMedia({ media: null });
  for (const panel of ["kubectl", "versions", "schema"] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await playground.showPanel(panel);
    await playground.settled();
    await showPaper(page);
    await expectOnlyText(page);
    await page.screenshot({ path: `test-results/pictures/print-${panel}.png`, fullPage: true });
    await page.emulateMedia({ media: null });
  }
});
