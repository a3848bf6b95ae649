import { test as base, type ConsoleMessage, expect, type Locator, type Page } from "@playwright/test";
import { KeptPage, prepare, settled } from "./kept";
import { type Server, startServer } from "./server";

export { expect };
export type { Page };

export type DocumentName = "crd" | "go" | "object" | "oldCrd" | "oldObject" | "conversion" | "admission";
export const panels = ["outcome", "rules", "kubectl", "versions", "schema"] as const;
export type PanelName = (typeof panels)[number];

/** The page as its users see it. */
export class Playground {
  readonly page: Page;
  /** The page shows the first example. */
  #isOpen: boolean;

  constructor(page: Page, isOpen = false) {
    this.page = page;
    this.#isOpen = isOpen;
  }

  /** Opens the page and waits for the result of the visible documents. */
  async open(address = "/"): Promise<void> {
    if (!this.#isOpen || address !== "/") await this.page.goto(address);
    this.#isOpen = false;
    await this.settled();
  }

  /** Opens the link to an example. If the page is open, its documents are replaced. */
  async openExample(example: string): Promise<void> {
    await this.page.goto(`/#example=${example}`);
    await this.#chosen(example);
  }

  /** Waits until the page shows an example and its result. */
  async #chosen(example: string): Promise<void> {
    await expect(this.#entry(example)).toHaveAttribute("aria-current", "true");
    await this.settled();
  }

  /** Locates an example in the gallery. */
  #entry(example: string): Locator {
    return this.page.locator(`[data-example="${example}"]`);
  }

  async settled(): Promise<void> {
    await settled(this.page);
  }

  editor(document: DocumentName): Locator {
    return this.page.locator(`[data-editor=${document}] .cm-content`);
  }

  /** Shows a document, and adds it if necessary. */
  async showDocument(document: DocumentName): Promise<void> {
    const tab = this.page.locator(`#tab-${document}`);
    if (await tab.isVisible()) return tab.click();
    await this.page.locator("#document-add").click();
    await this.page.locator(`[data-open=${document}]`).click();
  }

  /** Chooses an example in the gallery. */
  async choose(example: string): Promise<void> {
    await this.page.locator("#gallery-open").click();
    await this.#entry(example).click();
    await this.#chosen(example);
  }

  /** Shows a panel and waits for the result, because the panel has that of an earlier scenario until then. */
  async showPanel(panel: PanelName): Promise<void> {
    await this.page.locator(`#tab-${panel}`).click();
    await this.settled();
  }

  /** Pastes over a document and waits for the result. */
  async paste(document: DocumentName, text: string): Promise<void> {
    await this.showDocument(document);
    await this.editor(document).focus();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.editor(document).evaluate((target, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
    await this.settled();
  }

  /** Accepts the first completion; CodeMirror ignores Enter for a moment. */
  async takeOffer(): Promise<void> {
    await this.page.waitForTimeout(150);
    await this.page.keyboard.press("Enter");
  }

  /** Returns the visible lines of a document. */
  async text(document: DocumentName): Promise<string> {
    await this.showDocument(document);
    const lines = await this.editor(document).locator(".cm-line").allInnerTexts();
    return lines.map((line) => line.replace(/\n$/, "")).join("\n");
  }

  verdict(subject: DocumentName): Locator {
    return this.page.locator(`[data-verdict=${subject}]`);
  }

  problems(): Locator {
    return this.page.locator("#problems .problem");
  }

  /** Returns the HTML of all panels, without timestamps. */
  async html(): Promise<Record<string, string>> {
    const html: Record<string, string> = {};
    for (const panel of [...panels, "problems"]) {
      if (panel !== "problems") await this.showPanel(panel as PanelName);
      const place = this.page.locator(`[data-panel=${panel}]`);
      html[panel] = (await place.innerHTML()).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "(now)");
    }
    return html;
  }

  /** Waits until the stored session, or another stored value, contains a string. The page stores them with a delay. */
  async stored(text: string, key = "crdlab.session"): Promise<void> {
    await expect.poll(() => this.page.evaluate((name) => localStorage.getItem(name), key)).toContain(text);
  }

  /** Opens the dialog for links and returns the link, which the page creates in a moment. */
  async shareLink(): Promise<string> {
    await this.page.locator("#share-open").click();
    await expect(this.page.locator("#share")).toBeVisible();
    return this.page.locator("#share-link").inputValue();
  }

  /** Locates the text about the engine in use. */
  where(): Locator {
    return this.page.locator("#where");
  }
}

interface Fixtures {
  playground: Playground;
  /** The errors and warnings of the browser's console; a test must leave none. */
  complaints: string[];
}

/** A test with a page, a profile and an engine of its own, as on a first visit. */
export const firstVisit = base.extend<Fixtures, { server: Server }>({
  server: [
    // Playwright requires a pattern even for no fixtures.
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  baseURL: ({ server }, use) => use(server.url),
  complaints: async ({ page }, use) => {
    const complaints: string[] = [];
    const onError = (error: Error): number => complaints.push(error.message);
    const onMessage = (message: ConsoleMessage): void => {
      if (message.text() === "Service Worker registration blocked by Playwright") return;
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    };
    page.on("pageerror", onError);
    page.on("console", onMessage);
    await use(complaints);
    page.off("pageerror", onError);
    page.off("console", onMessage);
    expect(complaints, "complaints on the console").toEqual([]);
  },
  page: async ({ page }, use) => {
    await prepare(page);
    await use(page);
  },
  playground: async ({ page, complaints: _ }, use) => use(new Playground(page)),
});

/** A test with the page that the worker keeps, which shows the first example. */
export const test = firstVisit.extend<object, { kept: KeptPage }>({
  kept: [
    async ({}, use) => {
      const kept = new KeptPage();
      await use(kept);
      await kept.close();
      for (const difference of kept.differences) console.log(`a page was not as new after its reset: ${difference}`);
    },
    { scope: "worker" },
  ],
  page: async ({ kept, browser, baseURL }, use) => {
    await use(await kept.open(browser, baseURL ?? ""));
    await kept.release();
  },
  playground: async ({ page, complaints: _ }, use) => use(new Playground(page, true)),
});
