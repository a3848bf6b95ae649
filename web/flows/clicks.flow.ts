import { expect, type Page, type Playground, test } from "./playground";

// Every task needs at most this number of clicks from the page as it opens. A choice in a
// list counts as two, and keys do not count.

class Mouse {
  readonly #page: Page;
  clicks = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  async click(selector: string): Promise<void> {
    this.clicks++;
    await this.#page.locator(selector).first().click();
  }

  async choose(selector: string, value: string): Promise<void> {
    this.clicks += 2;
    await this.#page.locator(selector).selectOption(value);
  }
}

interface Task {
  readonly clicks: number;
  readonly example?: string;
  readonly perform: (mouse: Mouse, playground: Playground) => Promise<void>;
}

const tasks: Readonly<Record<string, Task>> = {
  "update an object": {
    clicks: 2,
    perform: async (mouse, { page }) => {
      await mouse.click("#document-add");
      await mouse.click("[data-copy-of=object]:visible");
      await expect(page.locator("[data-panel=brief]")).toContainText("Accepted");
      await expect(page.locator("#operation option:checked")).toHaveText("auto: update");
    },
  },
  "update the status": {
    clicks: 2,
    example: "status-update",
    perform: async (mouse, playground) => {
      await mouse.choose("#operation", "updateStatus");
      await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
    },
  },
  "update the status without an existing object": {
    clicks: 3,
    example: "status-subresource",
    perform: async (mouse, playground) => {
      await mouse.choose("#operation", "updateStatus");
      await mouse.click("#problems .fix");
      await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
    },
  },
  "apply on the server": {
    clicks: 2,
    perform: async (mouse, { page }) => {
      await mouse.choose("#operation", "apply");
      await expect(page.locator("#field-manager")).toBeVisible();
    },
  },
  "compare with the previous CRD": {
    clicks: 2,
    perform: async (mouse, { page }) => {
      await mouse.click("#document-add");
      await mouse.click("[data-copy-of=crd]:visible");
      await expect(page.locator("#tab-changes")).toBeVisible();
    },
  },
  "convert by rules": {
    clicks: 2,
    perform: async (mouse, playground) => {
      await mouse.click("#document-add");
      await mouse.click("[data-template=conversion]:visible");
      await expect.poll(() => playground.text("conversion")).toContain("kind: APIConversion");
    },
  },
  "add an admission policy": {
    clicks: 2,
    perform: async (mouse, playground) => {
      await mouse.click("#document-add");
      await mouse.click("[data-template=admission]:visible");
      await expect.poll(() => playground.text("admission")).toContain("resources: [crontabs]");
    },
  },
  "see the printer columns": {
    clicks: 1,
    perform: async (mouse, { page }) => {
      await mouse.click("#tab-kubectl");
      await expect(page.locator("#panel-kubectl")).toContainText("SCHEDULE");
    },
  },
  "see a round trip": {
    clicks: 1,
    example: "conversion-pizza",
    perform: async (mouse, { page }) => {
      await mouse.click("#tab-versions");
      await expect(page.locator("#panel-versions")).toContainText("Changed after write-back");
    },
  },
  "see the cost of a rule": {
    clicks: 0,
    perform: async (_, { page }) => {
      await expect(page.locator(".digest-cost").first()).toContainText("cost 5 of 10 million");
    },
  },
  "see the trace of a failed rule": {
    clicks: 1,
    example: "trace",
    perform: async (mouse, { page }) => {
      await mouse.click("#problems summary");
      await expect(page.locator("#problems .trace").first()).toBeVisible();
    },
  },
  "open the CEL console on an older release": {
    clicks: 3,
    perform: async (mouse, { page }) => {
      await mouse.choose("#kubernetes", "1.33");
      await mouse.click("#console-open");
      await expect(page.locator("#console-editor")).toBeVisible();
    },
  },
  "generate a sample": {
    clicks: 2,
    perform: async (mouse, playground) => {
      await mouse.click("#sample-open");
      await mouse.click("[data-sample=full]");
      await expect.poll(() => playground.text("object")).toContain("# ");
    },
  },
  "print": {
    clicks: 2,
    perform: async (mouse, { page }) => {
      await page.evaluate(() => (window.print = () => document.body.setAttribute("data-printed", "")));
      await mouse.click("#share-open");
      await mouse.click("#share-print");
      await expect(page.locator("body")).toHaveAttribute("data-printed", "");
    },
  },
  "embed": {
    clicks: 2,
    perform: async (mouse, { page }) => {
      await mouse.click("#share-open");
      await mouse.click("#share-embed summary");
      await expect(page.locator("#share-snippet")).toHaveValue(/^<iframe/);
    },
  },
  "find an example": {
    clicks: 2,
    perform: async (mouse, { page }) => {
      await mouse.click("#gallery-open");
      await page.keyboard.type("immutable");
      await mouse.click("[data-example=transition-immutable]");
      await expect(page.locator("#gallery")).toBeHidden();
      await expect(page.locator("#example-note")).toContainText("spec.foo");
    },
  },
};

for (const [name, { clicks, example, perform }] of Object.entries(tasks)) {
  test(`${name}: ${clicks === 1 ? "1 click" : `${clicks} clicks`}`, async ({ playground }) => {
    const mouse = new Mouse(playground.page);
    if (example === undefined) await playground.open();
    else await playground.openExample(example);
    await expect(playground.where()).toHaveText(/in this page/);
    await perform(mouse, playground);
    expect(mouse.clicks).toBe(clicks);
  });
}
