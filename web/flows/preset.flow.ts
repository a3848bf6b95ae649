import { expect, type Page, type Playground, test } from "./playground";
import { crd, object, types } from "./texts";

const others = crd.replaceAll("crontabs", "cronjobs").replace("kind: CronTab,", "kind: CronJob,");

const option = (page: Page) => page.locator("#validation");

/** Selects the whole CRD and deletes it. */
async function clear(playground: Playground): Promise<void> {
  const { page } = playground;
  await playground.showDocument("crd");
  await playground.editor("crd").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await playground.settled();
}

test("a button leads from the example to an own CRD, and goes with the example", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.getByRole("button", { name: "Paste your CRD" }).click();
  await expect(page.locator("#notice")).toContainText("Now paste your CRD");
  await page.keyboard.insertText(others);
  await playground.settled();
  expect(await playground.text("crd")).toBe(others);
  await expect(page.getByRole("button", { name: "Paste your CRD" })).toBeHidden();
  await expect(page.locator("#notice")).toBeHidden();
  await undoTo(playground, "crontabs.stable.example.com");
  await expect(page.getByRole("button", { name: "Paste your CRD" })).toBeVisible();
});

/** Undoes changes of the CRD until it contains a string. */
async function undoTo(playground: Playground, text: string): Promise<void> {
  await playground.showDocument("crd");
  await expect(async () => {
    await playground.editor("crd").focus();
    await playground.page.keyboard.press("ControlOrMeta+z");
    expect(await playground.text("crd")).toContain(text);
  }).toPass({ intervals: [50], timeout: 10_000 });
  await playground.settled();
}

async function expectOwn(playground: Playground, own: string): Promise<void> {
  await expect(option(playground.page)).toHaveValue("Strict");
  expect(await playground.text("crd")).toBe(own);
  expect(await playground.text("object")).toBe("");
  await expect(playground.page.locator("#example-note")).toBeHidden();
}

/** Expects what the first example presets. */
async function expectPreset(playground: Playground): Promise<void> {
  await expect(option(playground.page)).toHaveValue("Warn");
  expect(await playground.text("object")).toContain("name: nightly-report");
}

for (const [title, own] of [["another name", others], ["the example's name", crd]] as const) {
  test(`an own CRD of ${title} in place of an example's that was cleared has no presets, and undo restores them`, async ({ playground }) => {
    await playground.open();
    await clear(playground);
    await expectPreset(playground);
    await playground.paste("crd", own);
    await expectOwn(playground, own);
    await undoTo(playground, "name: Schedule");
    await expectPreset(playground);
    await expect(playground.page.locator("[data-example=crontab-stored]")).toHaveAttribute("aria-current", "true");
    await expect(playground.page.locator("#example-note")).toBeVisible();
  });

  test(`an own CRD of ${title}, typed over an example's, has no presets, and undo restores them`, async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.showDocument("crd");
    await playground.editor("crd").focus();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(own);
    await playground.settled();
    await expectOwn(playground, own);
    await undoTo(playground, "name: Schedule");
    await expectPreset(playground);
  });
}

test("a file dropped in place of a cleared CRD has no presets", async ({ playground }) => {
  await playground.open();
  await clear(playground);
  await playground.page.locator("[data-editor=crd]").evaluate((target, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "crd.yaml"));
    const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true, composed: true });
    target.shadowRoot?.querySelector(".cm-content")?.dispatchEvent(drop);
  }, others);
  await expectOwn(playground, others);
});

test("presets stay beside an edited CRD, also after a reload, and leave with it", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.showDocument("crd");
  await playground.editor("crd").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("# mine\n");
  await playground.settled();
  await expectPreset(playground);

  await playground.stored("# mine");
  await page.reload();
  await expectPreset(playground);
  await clear(playground);
  await playground.paste("crd", others);
  await expectOwn(playground, others);
  await undoTo(playground, "# mine");
  await expectPreset(playground);
});

test("what the user chose or wrote beside an example stays beside an own CRD", async ({ playground }) => {
  await playground.open();
  await option(playground.page).selectOption("Ignore");
  await playground.paste("object", object("3"));
  await clear(playground);
  await playground.paste("crd", crd);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(option(playground.page)).toHaveValue("Ignore");
  expect(await playground.text("object")).toBe(object("3"));

  // Also if the choice is what the example presets.
  await playground.openExample("crontab-stored");
  await option(playground.page).selectOption("Ignore");
  await option(playground.page).selectOption("Warn");
  await clear(playground);
  await playground.paste("crd", crd);
  await expect(option(playground.page)).toHaveValue("Warn");
  expect(await playground.text("object")).toBe("");
});

test("a link to the example that was just changed opens it again", async ({ playground }) => {
  await playground.openExample("crontab-stored");
  await expect(playground.page).toHaveURL(/#example=crontab-stored$/);
  await option(playground.page).selectOption("Ignore");
  await playground.openExample("crontab-stored");
  await expect(option(playground.page)).toHaveValue("Warn");
});

test("the CRD of own Go types has no presets", async ({ playground }) => {
  await playground.open();
  await playground.paste("crd", types);
  await expect.poll(() => playground.text("crd")).toContain("disks.example.com");
  await expect(option(playground.page)).toHaveValue("Strict");
  expect(await playground.text("object")).toBe("");
});
