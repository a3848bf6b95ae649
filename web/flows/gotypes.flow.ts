import { expect, type Playground, firstVisit, test } from "./playground";
import { types } from "./texts";

const disk = (used: number): string => `apiVersion: example.com/v1\nkind: Disk\nmetadata:\n  name: a\nspec:\n  size: 5\n  used: ${used}\n`;

/** Pastes Go types and waits for a part of the CRD. */
async function generate(playground: Playground, text: string, part: string): Promise<void> {
  await playground.paste("go", text);
  await playground.stored(part);
  await playground.settled();
}

firstVisit("Go types give the CRD, which judges the object", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await generate(playground, types, "disks.example.com");
  await playground.paste("object", disk(9));
  await expect(playground.verdict("object")).toContainText("the disk is full");
  await playground.paste("object", disk(3));
  await expect(playground.verdict("object")).toContainText("created");
  await expect(page.locator("#go-note")).toBeHidden();

  // The user edits the types, not the CRD.
  await playground.showDocument("crd");
  await expect(page.locator("#generated-note")).toBeVisible();
  await playground.editor("crd").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  expect(await playground.text("crd")).toContain("disks.example.com");
  await playground.paste("crd", "kind: Other\n");
  expect(await playground.text("crd")).toContain("disks.example.com");

  const link = await playground.shareLink();
  await page.keyboard.press("Escape");
  await playground.stored("DiskSpec");
  await page.reload();
  await playground.settled();
  expect(await playground.text("go")).toContain("type DiskSpec struct");
  await generate(playground, types.replace("Minimum=0", "Minimum=1"), "minimum: 1");

  await page.goto("about:blank");
  await page.goto(link);
  await playground.settled();
  expect(await playground.text("go")).toContain("Minimum=0");
});

test("a mistake in a marker has a mark, a count and a place in the list, and the CRD stays", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("crontab-go");
  await playground.showDocument("go");
  await expect(page.locator("#go-note")).toBeHidden({ timeout: 30_000 });
  const mistaken = (await playground.text("go")).replace("Maximum=10", "Maximum=ten");
  await playground.paste("go", mistaken);
  const problem = page.locator("#go-problems .problem.is-error");
  await expect(problem).toContainText("ten", { timeout: 30_000 });
  await expect(page.locator("#tab-go .count")).toContainText("1");
  await expect(page.locator("[data-editor=go] .cm-lintRange-error").first()).toBeVisible();
  await playground.showDocument("crd");
  await page.keyboard.press("F8"); // the error, although a note on a field precedes it
  await expect(page.locator("[data-editor=go] .cm-activeLine")).toContainText("Maximum=ten");
  await playground.showDocument("crd");
  await problem.locator("[data-document=go]").click();
  await expect(page.locator("#tab-go")).toHaveAttribute("aria-selected", "true");
  expect(await playground.text("crd")).toContain("crontabs.stable.example.com");

  await playground.paste("go", mistaken.replace("Maximum=ten", "Maxmum=9"));
  await page.locator("#go-problems").getByRole("button", { name: "Rename to +kubebuilder:validation:Maximum" }).click();
  await expect(page.locator("#go-problems .problem:not(.is-info)")).toHaveCount(0);
  expect(await playground.text("go")).toContain("validation:Maximum=9");
});

test("in a wide window, Go and its CRD stand side by side, and the caret marks the line that belongs to it", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1280, height: 800 });
  await playground.openExample("crontab-go");
  await playground.settled();
  await expect(page.locator("[data-editor=go]")).toBeVisible();
  await expect(page.locator("[data-editor=crd]")).toBeVisible();
  await expect(page.locator("#go-note")).toBeHidden({ timeout: 30_000 });
  await page.locator("[data-editor=go] .cm-line", { hasText: "Maximum=10" }).click({ position: { x: 60, y: 8 } });
  await expect(page.locator("[data-editor=crd] .cm-linked")).toContainText("maximum: 10");
  await expect(page.locator("[data-editor=crd] .cm-linked")).toBeInViewport();
  await page.locator("[data-editor=crd] .cm-line", { hasText: "maximum: 10" }).click({ position: { x: 200, y: 8 } });
  await expect(page.locator("[data-editor=go] .cm-linked")).toContainText("Maximum=10");
  await expect(page.locator("[data-editor=crd] .cm-linked")).toHaveCount(0);

  await page.setViewportSize({ width: 1200, height: 800 });
  await expect(page.locator("[data-editor=go]")).toBeHidden();
  await expect(page.locator("[data-editor=crd]")).toBeVisible();
});

test("markers have completion, with their arguments, and documentation", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("crontab-go");
  await playground.showDocument("go");
  await expect(page.locator("#go-note")).toBeHidden({ timeout: 30_000 });
  await playground.editor("go").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("\n// +kubebuilder:sub");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "kubebuilder:subresource:scale" }).click();
  await page.keyboard.type("spec");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "specpath" }).click();
  expect(await playground.text("go")).toContain("// +kubebuilder:subresource:scale:specpath=");
  // The marker has no effect at the end of the file.
  await expect(page.locator("#tab-go .count")).toContainText("1", { timeout: 30_000 });
  await playground.editor("go").focus();
  await page.keyboard.press("F2");
  await expect(page.locator(".cm-hover")).toContainText("enables the \"/scale\" subresource on a CRD");
});

test("a finding in the CRD leads to the types, and the types lead to the CRD", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1200, height: 800 }); // one document at a time
  await playground.open();
  await generate(playground, types.replace("self.used <=", "self.usd <="), "self.usd");
  const line = types.split("\n").findIndex((text) => text.includes("XValidation")) + 1;
  const toGo = page.locator("#problems .from-go").first();
  await expect(toGo).toHaveText(new RegExp(`^Go ${line}:`));
  await expect(page.locator("#problems .fix[data-fix*='\"document\":\"crd\"']:visible")).toHaveCount(0);
  await playground.showDocument("crd");
  await toGo.click();
  await expect(page.locator("#tab-go")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("[data-editor=go] .cm-lintRange-error").first()).toBeVisible();
  await expect(page.locator("#go-line")).toContainText("rule: self.usd");
  await page.locator("#go-line button").click();
  await expect(page.locator("#tab-crd")).toHaveAttribute("aria-selected", "true");
  await page.locator("#generated-show").click();
  await expect(page.locator("[data-editor=go] .cm-activeLine")).toContainText("XValidation");
});

test("a fix of the generated CRD becomes a marker", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const rule = '// +kubebuilder:validation:XValidation:rule="self.names.all(a, self.names.exists_one(b, a == b))"\n';
  await generate(playground, types.replace("type DiskSpec struct {\n", `${rule}type DiskSpec struct {\n\tNames []string \`json:"names"\`\n`), "exists_one");
  const fix = page.locator("#problems .fix:visible", { hasText: "on names" }).first();
  await fix.click({ timeout: 30_000 });
  await playground.settled();
  await expect(page.locator("#problems .problem", { hasText: "exceeds budget" })).toHaveCount(0, { timeout: 30_000 });
  expect(await playground.text("go")).toMatch(/\t\/\/ \+kubebuilder:validation:items:MaxLength=\d+\n\t\/\/ \+kubebuilder:validation:MaxItems=\d+\n\tNames/);
  await playground.stored("maxItems:");
});

test("the detached CRD stays, and the history has the types", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await generate(playground, types, "disks.example.com");
  await playground.showDocument("crd");
  await page.locator("#generated-detach").click();
  await expect(page.locator("#tab-go")).toBeHidden();
  await expect(page.locator("#generated-note")).toBeHidden();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# mine");
  expect(await playground.text("crd")).toContain("# mine");
  await page.locator("#history-open").click();
  await page.locator("#history-list [data-restore]").first().click();
  expect(await playground.text("go")).toContain("type DiskSpec struct");
});

test("Go pasted over the CRD becomes the document Go", async ({ playground }) => {
  await playground.open();
  await playground.paste("crd", types);
  expect(await playground.text("go")).toBe(types);
  await playground.stored("disks.example.com");
});

test("notes on API conventions can be turned on, and stay on", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("guestbook-go");
  await playground.showDocument("go");
  const notes = page.locator("#go-problems .problem.is-info", { hasText: "kube-api-linter" });
  const wanted = page.getByRole("checkbox", { name: "Notes on API conventions" });
  await expect(page.locator("#go-problems .problem").first()).toBeVisible({ timeout: 30_000 });
  await expect(wanted).not.toBeChecked();
  await expect(notes).toHaveCount(0);
  await wanted.check();
  await expect(notes.first()).toBeVisible();
  await expect(page.locator("#tab-go .count")).toHaveCount(0);
  await expect(page.locator("#problems .problem").first(), "the error in the object comes first").toHaveClass(/is-error/);
  await page.reload();
  await playground.settled();
  await expect(page.locator("#go-note")).toBeHidden({ timeout: 30_000 });
  await expect(wanted).toBeChecked();
  await expect(notes.first()).toBeVisible({ timeout: 30_000 });
  await wanted.uncheck();
  await expect(notes).toHaveCount(0);
});
