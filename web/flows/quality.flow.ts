import { brotliCompressSync } from "node:zlib";
import { expect, type Page, panels, Playground, firstVisit as test } from "./playground";

/** The maximum download without the engine's modules, in bytes of Brotli. */
const maxPageCode = 200_000;

test("the page's code is small, and the engine is most of the download", async ({ playground, request }) => {
  const { page } = playground;
  const sizes = new Map<string, number>();
  page.on("response", (response) => {
    const { pathname } = new URL(response.url());
    if (!/\.(js|css)$/.test(pathname)) return;
    void response.body().then((body) => sizes.set(pathname, brotliCompressSync(body).length));
  });
  await playground.open();
  await expect(playground.where()).toHaveText(/in this page/);
  const worker = await (await request.get("/service-worker.js")).text();
  for (const path of ["/service-worker.js", `/${/importScripts\("(.+?)"\)/.exec(worker)?.[1]}`]) {
    sizes.set(path, brotliCompressSync(await (await request.get(path)).body()).length);
  }
  const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const [path, size] of sizes) console.log(`${String(size).padStart(8)} bytes  ${path}`);
  console.log(`${String(total).padStart(8)} bytes as brotli of ${maxPageCode}`);
  expect(sizes.size).toBeGreaterThanOrEqual(6);
  expect(total).toBeLessThanOrEqual(maxPageCode);
});

interface LayoutShift extends PerformanceEntry {
  readonly value: number;
  readonly sources: readonly { readonly node: Element | null }[];
}

for (const width of [1440, 390]) {
  test(`${width} pixels wide, nothing moves while the page loads and shows its first result`, async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width, height: 844 });
    await page.addInitScript(() => {
      const shifts: string[] = [];
      Object.assign(globalThis, { shifts });
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries() as LayoutShift[]) {
          shifts.push(`${value.toFixed(4)} ${sources.map(({ node }) => node?.id || node?.className).join(" ")}`);
        }
      }).observe({ type: "layout-shift", buffered: true });
    });
    await playground.open();
    await expect(playground.where()).toHaveText(/in this page/);
    // An idle page has painted, and reported, all that it had to show.
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(() => requestIdleCallback(resolve)))));
    const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: string[] }).shifts);
    const total = shifts.reduce((sum, shift) => sum + Number.parseFloat(shift), 0);
    console.log(`cumulative layout shift ${total.toFixed(4)}`, shifts);
    expect(total, shifts.join("\n")).toBeLessThan(0.02);
  });
}

/** Describes the focused element, its outline, and the elements that cover it. */
function focused(page: Page): Promise<{ name: string; visible: boolean; covered: string }> {
  return page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (!element || element === document.body) return { name: "body", visible: true, covered: "" };
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const inEditor = element.closest(".cm-editor") !== null;
    const box = element.getBoundingClientRect();
    const at = (x: number, y: number): Element | null => {
      let found = document.elementFromPoint(x, y);
      while (found?.shadowRoot?.elementFromPoint(x, y) && found.shadowRoot.elementFromPoint(x, y) !== found) found = found.shadowRoot.elementFromPoint(x, y);
      return found;
    };
    const points = [[box.x + box.width / 2, box.y + box.height / 2], [box.x + 3, box.y + 3], [box.right - 3, box.bottom - 3]] as const;
    const hits = points.map(([x, y]) => at(x, y));
    const own = (hit: Element | null): boolean => hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest("label")?.contains(element) === true);
    return {
      name: element.id || element.getAttribute("aria-label") || element.textContent.trim().slice(0, 40) || element.className,
      visible: inEditor || (outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 1),
      covered: hits.some(own) ? "" : hits.map((hit) => hit?.id || hit?.className || hit?.tagName).join(", "),
    };
  });
}

for (const [size, width] of [["wide", 1280], ["narrow", 360]] as const) {
  test(`${size}, the keyboard reaches everything, and the focus is visible`, async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width, height: 800 });
    await playground.openExample("crontab-validation");
    const reached: string[] = [];
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press("Tab");
      const focus = await focused(page);
      if (focus.name === "body") break;
      reached.push(focus.name);
      expect(focus.visible, `the focus on ${focus.name} is seen`).toBe(true);
      expect(focus.covered, `what covers ${focus.name}`).toBe("");
    }
    for (const id of ["gallery-open", "operation", "validation", "kubernetes", "history-open", "shortcuts-open", "theme", "share-open", "tab-object", "document-add", "sample-open", "format", "problems", "tab-outcome", "panel-outcome"]) {
      if (await page.locator(`#${id}`).isVisible()) expect(reached, `${id} is reached`).toContain(id);
    }
  });
}

test("with reduced motion nothing moves by itself", async ({ playground }) => {
  const { page } = playground;
  await page.emulateMedia({ reducedMotion: "reduce" });
  await playground.openExample("crontab-validation");
  await playground.problems().first().locator(".problem-actions .problem-place").click();
  await page.locator("#share-open").click();
  const moving = await page.evaluate(() => document.getAnimations().length);
  expect(moving).toBe(0);
  const durations = await page.evaluate(() => {
    const roots: (Document | ShadowRoot)[] = [document, ...[...document.querySelectorAll("*")].flatMap(({ shadowRoot }) => shadowRoot ?? [])];
    return roots.flatMap((root) => [...root.querySelectorAll("*")])
      .filter((element) => !element.classList.contains("cm-cursorLayer"))
      .map((element) => getComputedStyle(element))
      .filter(({ transitionDuration, animationName }) => !/^(0s(, )?)+$/.test(transitionDuration) || animationName !== "none")
      .map(({ transitionDuration, animationName }) => `${transitionDuration} ${animationName}`);
  });
  expect(durations).toEqual([]);
});

// 1280 pixels at 200 %, and the narrowest width that the guidelines require.
for (const [name, width, deviceScaleFactor] of [["at 200 %", 640, 2], ["360 pixels wide", 360, 1]] as const) {
  test(`${name}, the page fits the width`, async ({ browser, baseURL, playground: _ }) => {
    const context = await browser.newContext({ viewport: { width, height: 400 }, deviceScaleFactor, serviceWorkers: "block", ...(baseURL ? { baseURL } : {}) });
    const page = await context.newPage();
    const playground = new Playground(page);
    for (const example of ["crontab-rules", "apply-conflict", "admission-user", "scale-replicas", "conversion-pizza"]) {
      await playground.openExample(example);
      for (const panel of panels) {
        await playground.showPanel(panel);
        await playground.settled();
        const sticksOut = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(sticksOut, `pixels that stick out in ${panel} of ${example}`).toBeLessThanOrEqual(0);
      }
    }
    await context.close();
  });
}
