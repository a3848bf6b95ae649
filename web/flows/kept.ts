import { type Browser, expect, type Page } from "@playwright/test";

/**
 * The page that the flows of a worker share, because the start of the engine takes longer than
 * most flows. After each flow it is reset, as if a user had just opened it. A page that differs
 * from a new one after that is closed, so no flow begins with the rest of another.
 */
export class KeptPage {
  #page: Page | undefined;
  /** What a new page shows and stores. */
  #wanted: readonly string[] = [];
  /** The reasons why pages were closed. */
  readonly differences: string[] = [];

  /** Returns the page with the example that a first visit shows, and its result. */
  async open(browser: Browser, baseURL: string): Promise<Page> {
    if (this.#page) return this.#page;
    const page = await browser.newPage({ baseURL, serviceWorkers: "block" });
    await prepare(page);
    await page.goto("/");
    // The server's result is there before the engine, whose progress later pages do not show.
    await expect(page.locator("#where")).toHaveText(/in this page/, { timeout: 40_000 });
    await settled(page);
    await reset(page);
    if (this.#wanted.length === 0) this.#wanted = await restOf(page);
    return (this.#page = page);
  }

  /** Resets the page for the next flow, or closes it. */
  async release(): Promise<void> {
    const page = this.#page;
    if (!page) return;
    try {
      await reset(page);
      // Some parts follow the result with a delay.
      await expect.poll(() => this.#difference(page), { timeout: 2_000 }).toBe("");
    } catch {
      this.differences.push(await this.#difference(page).catch(String));
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#page?.context().close();
    this.#page = undefined;
  }

  /** Returns what differs between a page and a new one; empty if nothing does. */
  async #difference(page: Page): Promise<string> {
    const [rest, wanted] = [await restOf(page), this.#wanted];
    const lines = (label: string, some: readonly string[], others: readonly string[]): string[] =>
      some.filter((line) => !others.includes(line)).map((line) => `${label} ${line}`);
    const missing = lines("-", wanted, rest).filter((line) => !line.startsWith("- unfolded: "));
    return [...lines("+", rest, wanted), ...missing].slice(0, 10).join("\n");
  }
}

/**
 * Prepares a page for flows. Violations of the policy are reported on the console, which the browser does not
 * do in every case. The battery is low, so the page does not repeat evaluations while it is idle, which
 * takes more time than most flows.
 */
export async function prepare(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const battery = Object.assign(new EventTarget(), { charging: false, level: 0.1 });
    Object.assign(navigator, { getBattery: () => Promise.resolve(battery) });
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) =>
      console.error(`the policy ${violatedDirective} blocked ${blockedURI} ${sample}`));
  });
}

declare global {
  interface HTMLElement {
    /**
     * Of the result: whether the page awaits an answer (web/src/ui/status.ts). Of the history:
     * whether it is being written (web/src/ui/history-dialog.ts).
     */
    readonly pending?: boolean;
  }
}

export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const result = document.getElementById("result");
    // Older pages, with which the benchmark compares, have an attribute only.
    return result && !(result.pending ?? result.ariaBusy === "true");
  }, undefined, { timeout: 40_000 });
}

/** Opens the first example again, without the browser's storage. */
async function reset(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ media: null, colorScheme: null, reducedMotion: null, forcedColors: null });
  await page.mouse.move(0, 0);
  const example = await page.evaluate(() => {
    for (const dialog of document.querySelectorAll("dialog[open]")) (dialog as HTMLDialogElement).close();
    for (const popover of document.querySelectorAll(":popover-open")) (popover as HTMLElement).hidePopover();
    // The next Tab leads to the first element again.
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.blur();
    document.body.removeAttribute("tabindex");
    localStorage.clear();
    sessionStorage.clear();
    history.replaceState(history.state, "", "/");
    const first = document.querySelector("[data-example]")?.getAttribute("data-example");
    if (first == null) throw new Error("the page is not the playground");
    location.hash = `#example=${first}`;
    return first;
  });
  await expect(page.locator(`[data-example="${example}"]`)).toHaveAttribute("aria-current", "true");
  await settled(page);
  // The history adds the replaced documents once the gallery is loaded and the database is open.
  await page.waitForFunction(() => document.getElementById("history")?.pending === false);
  await page.evaluate(async () => {
    for (const { name = "" } of await indexedDB.databases()) await clearDatabase(name);
    for (const scrolled of document.querySelectorAll("*")) scrolled.scrollTo(0, 0);
    scrollTo(0, 0);
    history.replaceState(history.state, "", "/");

    async function clearDatabase(name: string): Promise<void> {
      const opening = indexedDB.open(name);
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error ?? new Error("the database did not open"));
      });
      const transaction = database.transaction([...database.objectStoreNames], "readwrite");
      for (const store of database.objectStoreNames) transaction.objectStore(store).clear();
      await new Promise((resolve) => (transaction.oncomplete = resolve));
      database.close();
    }
  });
}

/** Describes what is visible, apart from the editors, the caret's line and the panels, whose content has times. */
async function restOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const shell = [...document.querySelectorAll("html, body *")]
      .filter((element) => element.checkVisibility() && !element.closest(".cm-editor, [data-explain] *, [data-panel] *, [data-panel=timing], #problems *"))
      .map((element) => {
        const attributes = [...element.attributes].filter(({ value }) => value !== "").map(({ name, value }) => `${name}=${value}`).sort();
        const state = element instanceof HTMLInputElement ? `${element.value} ${element.checked}` : element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement ? element.value : "";
        return `${element.tagName} ${attributes.join(" ")} ${state}`.trim();
      });
    // The next result keeps what was unfolded in a panel or typed into a filter, even if it is hidden.
    const unfolded = [...document.querySelectorAll("[data-panel] details[open]")].map((details) =>
      `unfolded: ${details.className} ${(details.querySelector("summary")?.textContent ?? "").replace(/\d+/g, "")}`);
    const typed = [...document.querySelectorAll<HTMLInputElement>("input:not([readonly])")].filter(({ id, value }) => id && value).map(({ id, value }) => `typed: ${id} ${value}`);
    // The page stores the session within a second, and its answer soon after.
    const stored = Object.keys(localStorage).filter((key) => key !== "crdlab.session" && key !== "crdlab.answer");
    return [...shell, ...unfolded, ...typed, ...stored.map((key) => `stored: ${key}`)];
  });
}
