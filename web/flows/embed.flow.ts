import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, Playground, firstVisit as base } from "./playground";
import { crd, object } from "./texts";

/** Starts a host on another site, with a policy that permits the playground only as a script and a frame, and styles with a nonce. */
const test = base.extend<{ host: (body: string) => string }>({
  host: async ({ baseURL }, use) => {
    let page = "";
    const site = createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.setHeader("content-security-policy", `default-src 'none'; script-src ${baseURL}; frame-src ${baseURL}; style-src 'nonce-host'`);
      response.end(`<!doctype html><title>Documentation</title><link rel="icon" href="data:,"><script type="module" src="${baseURL}/crd-lab.js"></script>${page}`);
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    await use((body) => {
      page = body;
      return `http://localhost:${(site.address() as AddressInfo).port}/`;
    });
    site.closeAllConnections();
    site.close();
  },
});

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const pre = (text: string): string => `<pre><code>${escaped(text)}</code></pre>`;
const bundle = `${crd}---\n${object("15")}`;

test("the element shows its YAML as a playground that can be edited", async ({ page, host }) => {
  await page.goto(host(`<crd-lab title="A cron tab">${pre(bundle)}</crd-lab>`));
  const frame = page.frameLocator("iframe[title='A cron tab']");
  const verdict = frame.locator("[data-verdict=object]");
  await expect(verdict).toHaveAttribute("data-state", "rejected");
  await expect(page.locator("pre")).toBeHidden();
  await expect(frame.locator(".page-header")).toBeHidden();
  await frame.locator("#tab-object").click();
  await frame.locator("[data-editor=object] .cm-line", { hasText: "replicas: 15" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  await expect(verdict).toHaveAttribute("data-state", "accepted");
  const [opened] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link", { name: "Open in the playground" }).click()]);
  const playground = new Playground(opened);
  await playground.settled();
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(opened.locator(".page-header")).toBeVisible();
});

test("the attributes choose the panel, the theme, the height and the release", async ({ page, host }) => {
  const attributes = `panel="rules" theme="dark" height="300" release="1.33" read-only`;
  await page.goto(host(`<crd-lab ${attributes}>${pre(crd)}${pre(object("15"))}</crd-lab>`));
  const frame = page.frameLocator("iframe");
  await expect(frame.locator("#tab-rules")).toHaveAttribute("aria-selected", "true");
  await expect(frame.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(frame.locator("#kubernetes")).toHaveValue("1.33");
  await expect(page.locator("iframe")).toHaveCSS("height", "300px");
  const line = frame.locator("[data-editor=object] .cm-line", { hasText: "replicas: 15" });
  await line.click();
  await page.keyboard.type("9");
  await expect(line).toHaveText(/replicas: 15$/);
});

test("the YAML is what a reader would copy from highlighted code", async ({ page, host }) => {
  const lines = bundle.trimEnd().split("\n");
  // Hugo: numbers in a table. Docusaurus: a button, and lines that end with <br>.
  const numbers = `<td class="numbers"><pre><code>${lines.map((_, i) => `<span>${i + 1}\n</span>`).join("")}</code></pre></td>`;
  const hugo = `<div><table><tr>${numbers}<td>${pre(bundle)}</td></tr></table></div>`;
  const docusaurus = `<div><pre><code>${lines.map((line) => `<span><span></span><span>${escaped(line)}</span><br></span>`).join("")}</code></pre><button>Copy</button></div>`;
  await page.goto(host(`<style nonce="host">.numbers { user-select: none }</style><crd-lab id="a">${hugo}</crd-lab><crd-lab id="b">${docusaurus}</crd-lab>`));
  const yaml = (id: string) => page.locator(`#${id} a`).evaluate((link) => decodeURIComponent((link as HTMLAnchorElement).hash));
  expect(await yaml("a")).toBe(`#yaml=${bundle}`);
  expect(await yaml("b")).toBe(`#yaml=${bundle}`);
  await expect(page.locator("#a").frameLocator("iframe").locator("[data-verdict=object]")).toHaveAttribute("data-state", "rejected");
});

test("the theme is that of the page around the frame, also after a change", async ({ page, host }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto(host(`<style nonce="host">.dark { color-scheme: dark }</style><crd-lab>${pre(bundle)}</crd-lab>`));
  const frame = page.frameLocator("iframe");
  const change = (name: string) => page.evaluate((name) => (document.documentElement.className = name), name);
  await expect(frame.locator("[data-verdict=object]")).toHaveAttribute("data-state", "rejected");
  await expect(frame.locator("html")).not.toHaveAttribute("data-theme");
  await frame.locator("#tab-object").click();
  await frame.locator("[data-editor=object] .cm-line", { hasText: "replicas: 15" }).click();
  await page.keyboard.press("End");
  await page.keyboard.press("Backspace");
  const entries = await page.evaluate(() => history.length);
  await change("dark");
  await expect(frame.locator("html")).toHaveAttribute("data-theme", "dark");
  await change("");
  await expect(frame.locator("html")).not.toHaveAttribute("data-theme");
  await expect(frame.locator("[data-verdict=object]")).toHaveAttribute("data-state", "accepted");
  expect(await page.evaluate(() => history.length)).toBe(entries);
  await change("dark");
  // Sites with navigation in the page remove the element, and add it again.
  await page.locator("crd-lab").evaluate((element) => {
    const { parentElement } = element;
    element.remove();
    parentElement?.append(element);
  });
  await expect(frame.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(frame.locator("[data-verdict=object]")).toHaveAttribute("data-state", "rejected");
});

test("a playground starts only near the visible part of the page", async ({ page, host }) => {
  const space = `<pre>${"\n".repeat(300)}</pre>`;
  await page.goto(host(`${space}<crd-lab id="a">${pre(bundle)}</crd-lab>${space}<crd-lab id="b">${pre(bundle)}</crd-lab>`));
  await expect(page.getByRole("link", { name: "Open in the playground" })).toHaveCount(2);
  await expect(page.locator("iframe")).toHaveCount(0);
  await page.locator("#a").scrollIntoViewIfNeeded();
  await expect(page.locator("#a").frameLocator("iframe").locator("[data-verdict=object]")).toHaveAttribute("data-state", "rejected");
  await expect(page.locator("#b iframe")).toHaveCount(0);
});

test("the YAML stays if there is no JavaScript, or the frame does not load", async ({ browser, host, page, baseURL }) => {
  const address = host(`<crd-lab>${pre(bundle)}</crd-lab>`);
  const quiet = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await quiet.goto(address);
  await expect(quiet.locator("pre")).toContainText("replicas: 15");
  await quiet.context().close();

  await page.clock.install();
  await page.route(`${baseURL}/embed.html`, (route) => route.fulfill({ body: "nothing" }));
  await page.goto(address);
  await expect(page.locator("iframe")).toHaveCount(1);
  await expect(page.locator("pre")).toBeVisible();
  await page.clock.fastForward(31_000);
  await expect(page.locator("iframe")).toHaveCount(0);
  await expect(page.locator("pre")).toBeVisible();
});

test("a frame neither reads nor changes what the browser stores", async ({ playground, baseURL }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("object", "mine: 1\n");
  await playground.stored("mine: 1");
  await playground.stored("mine: 1", "crdlab.answer");
  const before = await page.evaluate(() => JSON.stringify(localStorage));
  const site = await page.context().newPage();
  await site.clock.install();
  await site.route(`${baseURL}/host.html`, (route) =>
    route.fulfill({ contentType: "text/html", body: `<script type="module" src="/crd-lab.js"></script><crd-lab>${pre(bundle)}</crd-lab>` }),
  );
  await site.goto(`${baseURL}/host.html`);
  await expect(site.frameLocator("iframe").locator("[data-verdict=object]")).toHaveAttribute("data-state", "rejected");
  // Without documents of the link, the page would show the last visit's.
  await site.goto("about:blank");
  await site.route(`${baseURL}/empty.html`, (route) => route.fulfill({ contentType: "text/html", body: `<iframe src="/embed.html"></iframe>` }));
  await site.goto(`${baseURL}/empty.html`);
  const empty = site.frameLocator("iframe");
  await expect(empty.locator("[data-editor=object] .cm-content, [data-editor=crd] .cm-content").first()).toBeVisible();
  await expect(empty.locator("body")).not.toContainText("mine: 1");
  await site.clock.fastForward(5_000); // a page stores its session and its answer within three seconds
  expect(await page.evaluate(() => JSON.stringify(localStorage))).toBe(before);
});
