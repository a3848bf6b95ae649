import type { Locator } from "@playwright/test";
import { expect, type Page, test } from "./playground";
import { crd, object } from "./texts";

/** Locates a completion by its label, which its type follows. */
const option = (page: Page, label: string): Locator =>
  page.locator(".cm-tooltip-autocomplete li", { hasText: new RegExp(`^${label}`) });

/** The spec of the object without its last line, which the flow types. */
const unfinished = object("3").replace(/ {2}replicas.*\n/, "");

test("fields and values of the schema are offered while typing", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd.replace("image: {type: string}", "image: {type: string}\n              size: {type: string, enum: [small, large], description: How large it is.}"));
  await playground.paste("object", unfinished);
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("  si");
  await expect(option(page, "size")).toBeVisible();
  await expect(page.locator(".cm-completionInfo")).toContainText("How large it is.");
  await playground.takeOffer();
  await expect(option(page, "large")).toBeVisible();
  await page.keyboard.type("la");
  await playground.takeOffer();
  expect(await playground.text("object")).toContain("  size: large");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await page.keyboard.press("ControlOrMeta+z");
  expect(await playground.text("object")).toContain("  size: la");
});

test("CEL in the documents is highlighted", async ({ playground }) => {
  await playground.open();
  await playground.paste("crd", crd.replace("self.replicas <= 5 || has(self.image)", `"self.replicas <= 5 || self.image != 'none'"`));
  await expect(playground.editor("crd").locator(".cm-cel")).toHaveText(["self.replicas <= 5 || self.image != 'none'"]);
  await expect(playground.editor("crd").locator(".cm-cel-word")).toHaveText(["self", "self"]);
  await expect(playground.editor("crd").locator(".cm-cel-string")).toHaveText(["'none'"]);
  await playground.paste("object", object("3").replace("replicas: 3", "rule: self.replicas"));
  await expect(playground.editor("object").locator(".cm-cel")).toHaveCount(0);
});

test("kinds, fields and values of policies are completed and explained", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.showDocument("admission");
  await playground.editor("admission").focus();
  await page.keyboard.insertText("apiVersion: admissionregistration.k8s.io/v1\nkind: ");
  await page.keyboard.type("Val");
  await expect(option(page, "ValidatingWebhookConfiguration")).toBeVisible();
  await expect(page.locator(".cm-completionInfo")).toContainText("ValidatingAdmissionPolicy describes");
  await playground.takeOffer();
  await page.keyboard.press("Escape");
  await page.keyboard.insertText("\nmetadata: {name: a}\nspec:\n  matchConstraints:\n    resourceRules:\n    - resources: [crontabs]\n      ");
  await page.keyboard.type("api");
  await expect(option(page, "apiGroups")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.insertText("Groups: [");
  await page.keyboard.press("ControlOrMeta+Space");
  await expect(option(page, "stable.example.com")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.keyboard.insertText("stable.example.com]\n  ");
  await page.keyboard.type("failurePolicy: ");
  await page.keyboard.press("ControlOrMeta+Space");
  await expect(option(page, "Fail")).toContainText("default");
  await expect(option(page, "Ignore")).toBeVisible();
  await page.keyboard.press("Escape");
  await playground.editor("admission").getByText("resourceRules").click();
  await page.keyboard.press("F2");
  await expect(page.locator(".cm-hover")).toContainText("describes what operations on what resources");
});

test("completion uses the last decodable CRD during an edit", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("crd", `${crd}  x: [\n`);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "rejected");
  await playground.paste("object", unfinished);
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("  im");
  await expect(option(page, "image")).toBeVisible();
});

test("fields of self are offered in a rule, and the schema's keywords in the CRD", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd.replace("self.replicas <= 5 || has(self.image)", "self.replicas <= 5 "));
  await playground.editor("crd").getByText("self.replicas").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" && self.im");
  await expect(option(page, "image")).toContainText("string");
  await playground.takeOffer();
  await page.keyboard.type(".sta");
  await expect(option(page, "startsWith")).toContainText("(string) -> bool");
  await page.keyboard.press("Escape");

  await playground.editor("crd").getByText("scope:").click();
  await page.keyboard.press("Home");
  await page.keyboard.press("Shift+End");
  await page.keyboard.type("con");
  await expect(option(page, "conversion")).toBeVisible();
});

test("a field is explained under the pointer, and by F2 at the cursor", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  const hover = page.locator("[data-editor=object] .cm-hover");
  await playground.editor("object").getByText("replicas").hover();
  await expect(hover).toContainText("replicas integer");
  await expect(hover).toContainText("maximum");
  await page.mouse.move(2, 2);
  await expect(hover).toHaveCount(0);
  await playground.editor("object").getByText("spec", { exact: true }).click();
  await page.mouse.move(2, 2); // otherwise the pointer opens a hover, too
  await page.keyboard.press("Home");
  await page.keyboard.press("F2");
  await expect(hover).toContainText("many replicas need an image");
  await page.keyboard.press("Escape");
  await expect(hover).toHaveCount(0);
});

test("samples are accepted, and undo restores the document", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("30"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  for (const kind of ["minimal", "full"]) {
    await page.locator("#sample-open").click();
    await page.locator(`[data-sample=${kind}]`).click();
    await expect.poll(() => playground.text("object")).toContain("name: crontab-sample");
    await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  }
  expect(await playground.text("object")).toContain("# image: example");
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => playground.text("object")).toContain("replicas: 30");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
});

test("formatting indents, converts JSON to YAML, and reports errors", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", "apiVersion: stable.example.com/v1\nkind: CronTab # a comment\nmetadata:\n    name: a\nspec:\n      image: b\n");
  await page.locator("#format").click();
  await expect.poll(() => playground.text("object")).toContain("kind: CronTab # a comment\nmetadata:\n  name: a\nspec:\n  image: b");
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(() => playground.text("object")).toContain("    name: a");

  await playground.paste("object", '{"apiVersion": "stable.example.com/v1", "kind": "CronTab", "metadata": {"name": "a"}}');
  await page.keyboard.press("Alt+Shift+F");
  await expect.poll(() => playground.text("object")).toContain("metadata:\n  name: a");

  await playground.paste("object", "a: [\n");
  await page.locator("#format").click();
  await expect(page.locator("#notice")).toContainText("cannot be formatted");
});

test("a pasted bundle is divided, and another of its CRDs can be evaluated", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const other = crd.replaceAll("crontab", "backup").replace("CronTab", "Backup").replace("[ct]", "[bu]");
  await playground.paste("object", `${crd}---\n${other}---\n${object("3")}`);
  await expect(playground.verdict("object")).toContainText("created");
  expect(await playground.text("object")).not.toContain("CustomResourceDefinition");
  await expect(playground.verdict("crd")).toContainText("crontabs");
  const rows = page.locator("#crds li");
  await expect(rows).toHaveText([/crontabs.*Accepted.*1 object/s, /backups.*CRD accepted.*no objects/s]);
  await page.getByRole("button", { name: "backups.stable.example.com" }).click();
  await expect(playground.verdict("crd")).toContainText("backups");
  await expect(rows).toHaveText([/crontabs.*Accepted.*1 object/s, /backups.*CRD accepted.*no objects/s]);
  await page.reload();
  await expect(playground.verdict("crd")).toContainText("backups");
});

test("text is found and replaced", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("object", object("3"));
  await page.keyboard.press("ControlOrMeta+f");
  const panel = page.locator("[data-editor=object] .cm-search");
  await panel.locator("[name=search]").fill("my-cron");
  await panel.locator("input[name=replace]").fill("your-cron");
  await panel.getByRole("button", { name: "replace all" }).click();
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
  expect(await playground.text("object")).toContain("name: your-cron");
});

test("Tab leaves an editor until the user has typed in it, and then indents", async ({ playground }) => {
  const { page } = playground;
  const before = await playground.text("object");
  await playground.editor("object").focus();
  await page.keyboard.press("Tab");
  await expect(playground.editor("object")).not.toBeFocused();
  expect(await playground.text("object")).toBe(before);

  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("#");
  await page.keyboard.press("Tab");
  const wayOut = page.locator("[data-editor=object] [data-way-out]");
  await expect(wayOut).toHaveAttribute("data-way-out", "After typing, Escape and Tab leave the editor.");
  await expect.poll(() => playground.text("object")).toBe(`  #${before}`);
  await page.keyboard.press("Escape");
  await expect(wayOut).toHaveCount(0);
  await page.keyboard.press("Tab");
  await expect(playground.editor("object")).not.toBeFocused();

  await playground.choose("crontab-validation");
  await playground.editor("object").focus();
  await page.keyboard.press("Tab");
  await expect(playground.editor("object")).not.toBeFocused();
});

test("panes resize by pointer and keyboard, and keep their size", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const split = page.locator("#split");
  const width = async (): Promise<number> => (await page.locator("#documents").boundingBox())?.width ?? 0;
  const before = await width();
  await split.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  expect(await width()).toBeGreaterThan(before);
  const box = await split.boundingBox();
  if (!box) throw new Error("the separator is not shown");
  await page.mouse.move(box.x + box.width / 2, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(400, box.y + 200);
  await page.mouse.up();
  const narrow = await width();
  expect(Math.abs(narrow - 400)).toBeLessThan(20);
  await page.reload();
  await playground.settled();
  expect(Math.abs((await width()) - narrow)).toBeLessThan(5);
});

test("the shortcuts are listed", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.locator("#result").focus();
  await page.keyboard.press("?");
  const dialog = page.locator("#shortcuts");
  await expect(dialog).toBeVisible();
  for (const does of ["Format the document", "Show hover docs", "Autocomplete", "Find in the editor"]) {
    await expect(dialog).toContainText(does);
  }
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
});
