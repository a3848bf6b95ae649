import { existsSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { type OtherBrowser, otherBrowsers } from "./browsers";
import { startServer } from "./server";

const text = (selector: string): string => `document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`;

/** The editor's document is in a shadow root. */
const objectText = `document.querySelector("[data-editor=object]").shadowRoot.querySelector(".cm-content").innerText`;

const verdictOfObject = `document.querySelector("[data-verdict=object]")?.dataset.state ?? ""`;

/** Waits for the result of the visible documents, from the engine in the page. */
async function settled(browser: OtherBrowser, verdict: string): Promise<void> {
  await expect.poll(() => browser.read<string>(text("#where"))).toContain("in this page");
  await expect.poll(() => browser.read<string>(verdictOfObject)).toBe(verdict);
  await expect.poll(() => browser.read<string>(`document.querySelector("#result").ariaBusy`)).toBe("false");
}

/** Types at the end of the object, before its final newline. */
async function typeAtEnd(browser: OtherBrowser, typed: string): Promise<void> {
  await browser.click("[data-editor=object]");
  await browser.pressWithControl("End");
  await browser.press("ArrowLeft");
  await browser.type(typed);
}

/** Waits until the page and the engine are cached. */
async function kept(browser: OtherBrowser): Promise<void> {
  const modules = `(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    return requests.flat().filter(({ url }) => /\\.wasm(\\.gz)?$/.test(url)).length;
  })()`;
  await expect.poll(() => browser.read<number>(modules)).toBe(1);
  await expect.poll(() => browser.read<string>("navigator.serviceWorker.ready.then(({ active }) => active?.state)")).toBe("activated");
}

for (const [name, { start, programs }] of Object.entries(otherBrowsers)) {
  test(`in ${name}, a user types, fixes, shares and continues without a network`, async () => {
    const missing = programs.filter((program) => !existsSync(program));
    test.skip(missing.length > 0, `${missing.join(", ")} is not installed`);
    const [server, browser] = await Promise.all([startServer(), start()]);
    try {
      await test.step("open", async () => {
        await browser.open(`${server.url}/#example=crontab-valid`);
        await settled(browser, "accepted");
      });

      await test.step("type a value that is too large", async () => {
        await typeAtEnd(browser, "0");
        await settled(browser, "rejected");
        expect(await browser.read<string>(objectText)).toContain("replicas: 50");
        expect(await browser.read<string>(text("#problems .problem-message"))).toContain("should be less than or equal to 10");
      });

      await test.step("fix it with a click", async () => {
        expect(await browser.read<string>(text("#problems .fix"))).toBe("Set replicas: 10");
        await browser.click("#problems .fix");
        await settled(browser, "accepted");
        expect(await browser.read<string>(objectText)).toContain("replicas: 10");
      });

      await test.step("share it, and open the link", async () => {
        await browser.click("#share-open");
        const link = `document.querySelector("#share-link").value`;
        await expect.poll(() => browser.read<string>(link)).toContain("#1=");
        const address = await browser.read<string>(link);
        await browser.press("Escape");
        await typeAtEnd(browser, "0");
        await settled(browser, "rejected");
        await browser.open("about:blank");
        await browser.open(address);
        await settled(browser, "accepted");
        expect(await browser.read<string>(objectText)).toMatch(/replicas: 10\n/);
      });

      await test.step("reload it without a server, and type", async () => {
        await kept(browser);
        await server.stop();
        await browser.reload();
        await settled(browser, "accepted");
        expect(await browser.read<string>(text("#network"))).toBe("offline");
        await typeAtEnd(browser, "0");
        await settled(browser, "rejected");
      });
    } finally {
      await browser.stop();
      await server.stop();
    }
  });
}
