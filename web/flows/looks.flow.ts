import { findings } from "./axe";
import { expect, type Page, panels, firstVisit, test } from "./playground";
import { settled } from "./kept";
import { crd, object } from "./texts";
import { Typist } from "./typist";

/** Opens the fields down to one without fields of its own. */
async function openFields(page: Page): Promise<void> {
  for (const key of ["spec", "spec/replicas"]) {
    const line = page.locator(`[data-key="${key}"]`);
    if (!(await line.evaluate((summary) => summary.parentElement?.hasAttribute("open")))) await line.click();
  }
}

/** Examples with parts that other results lack. */
const scenes = [
  ["trace", "rules"],
  ["conversion-pizza", "versions"],
  ["conversion-failed", "outcome"],
  ["crd-changes", "outcome"],
  ["upgrade-v1beta1", "outcome"],
  ["admission-unknown-topping", "outcome"],
  ["apply-conflict", "outcome"],
  ["scale-subresource", "versions"],
] as const;

// The screenshots in test-results are for people.
for (const colorScheme of ["light", "dark"] as const) {
  for (const [size, width] of [["wide", 1440], ["narrow", 360]] as const) {
    test(`${colorScheme} and ${size}, every panel is accessible`, { tag: colorScheme === "light" && size === "wide" ? [] : "@nightly" }, async ({ playground }) => {
      test.slow();
      const { page } = playground;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      await playground.open();
      await playground.paste("crd", crd);
      for (const replicas of ["3", "15"]) {
        await playground.paste("object", object(replicas));
        for (const panel of panels) {
          await playground.showPanel(panel);
          if (panel === "schema") await openFields(page);
          await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-${replicas}-${panel}.png`, fullPage: true });
          expect(await findings(page), `${panel} of ${replicas} replicas`).toEqual([]);
          const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          expect(overflow, "pixels that stick out to the right").toBeLessThanOrEqual(0);
        }
      }
      for (const [example, panel] of scenes) {
        await playground.choose(example);
        await playground.showPanel(panel);
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-${example}.png`, fullPage: true });
        expect(await findings(page), example).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `pixels that stick out to the right in ${example}`).toBeLessThanOrEqual(0);
      }
      await page.locator("#document-add").click();
      await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-menu.png` });
      expect(await findings(page), "menu").toEqual([]);
      await page.locator("#address-open").click();
      await page.locator("#address-input").fill("http://files.example.com");
      await page.keyboard.press("Enter");
      await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-address.png` });
      expect(await findings(page), "address").toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("#document-add").click();
      await page.locator("[data-open=oldCrd]").click();
      expect(await findings(page), "an empty document").toEqual([]);
      for (const dialog of ["share", "shortcuts", "history", "gallery"]) {
        const button = page.locator(`#${dialog}-open`);
        if (await button.isVisible()) await button.click();
        else await page.locator("body").press("?");
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-${dialog}.png` });
        expect(await findings(page), dialog).toEqual([]);
        await page.keyboard.press("Escape");
      }
    });

    test(`${colorScheme} and ${size}, the console and the description of a stored line are accessible`, async ({ playground }) => {
      const { page } = playground;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 900 });
      await playground.open();
      await playground.paste("crd", crd);
      await playground.paste("object", object("3").replace(/ {2}replicas.*\n/, ""));
      const line = page.locator("#panel-outcome .state .yaml-line", { hasText: "replicas: 1" });
      await line.evaluate((element) => element.scrollIntoView({ block: "start" })); // no control is half covered
      await line.hover();
      await expect(page.locator(".line-chip")).toContainText("properties[replicas]");
      await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-chip.png` });
      expect(await findings(page), "chip").toEqual([]);

      await page.keyboard.press("Alt+Shift+C");
      for (const [name, expression, wanted] of [["value", "self.spec.replicas > 5 || has(self.spec.image)", ".console-value"], ["error", "self.spec.replica > 5", ".console-errors"]] as const) {
        await page.keyboard.press("ControlOrMeta+a");
        await page.keyboard.insertText(expression);
        await expect(page.locator(`#console-result ${wanted}`)).toBeVisible();
        await page.keyboard.press("Escape");
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${size}-console-${name}.png` });
        expect(await findings(page), `the console with the ${name}`).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `pixels that stick out to the right with the ${name}`).toBeLessThanOrEqual(0);
      }
    });
  }
}

/** Pages of each kind beside the playground. */
const besides = ["docs/", "docs/architecture/", "errors/", "errors/cel-rule/", "learn/", "learn/crontab-validation/", "learn/tour/", "schema/"];

for (const colorScheme of ["light", "dark"] as const) {
  test(`${colorScheme}, the pages beside the playground are accessible`, { tag: colorScheme === "light" ? [] : "@nightly" }, async ({ playground }) => {
    const { page } = playground;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      for (const path of besides) {
        await page.goto(`/${path}`);
        await page.screenshot({ path: `test-results/pictures/${colorScheme}-${width}-${path.replaceAll("/", "-")}.png`, fullPage: true });
        expect(await findings(page), `${path} at ${width}`).toEqual([]);
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect(overflow, `pixels that stick out to the right in ${path}`).toBeLessThanOrEqual(0);
      }
    }
  });
}

// A window of 1280×800 has half as many CSS pixels in each direction at 200 %.
test("at 200 % zoom, every panel is accessible", { tag: "@nightly" }, async ({ playground }) => {
  const { page } = playground;
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.setViewportSize({ width: 640, height: 400 });
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  for (const panel of panels) {
    await playground.showPanel(panel);
    if (panel === "schema") await openFields(page);
    await page.screenshot({ path: `test-results/pictures/zoomed-${panel}.png` });
    expect(await findings(page), panel).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow, `pixels that stick out to the right in ${panel}`).toBeLessThanOrEqual(0);
  }
});

// Forced colours replace all backgrounds, so other signs have to show each state.
test("with forced colours, states differ by more than their background", async ({ playground }) => {
  const { page } = playground;
  await page.emulateMedia({ forcedColors: "active" });
  await playground.open();
  const style = (selector: string, property: string): Promise<string> =>
    page.locator(selector).first().evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  for (const change of ["added", "removed"]) expect(await style(`.yaml-line.is-${change}`, "outline-style"), change).toBe("solid");
  const [selected, other] = await Promise.all(["true", "false"].map((is) => style(`#result [role=tab][aria-selected=${is}]`, "border-top-color")));
  expect(selected, "the border of the selected tab").not.toBe(other);
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    const sign = await page.evaluate(() => {
      const focused = document.activeElement ?? document.body;
      const { outlineStyle, outlineWidth } = getComputedStyle(focused);
      return { element: focused.outerHTML.slice(0, 80), isOutlined: outlineStyle !== "none" && parseFloat(outlineWidth) > 0 };
    });
    expect(sign, "the focused element").toMatchObject({ isOutlined: true });
  }
  await page.screenshot({ path: "test-results/pictures/forced-colours.png" });
});

test("with reduced motion, nothing moves", async ({ playground }) => {
  const { page } = playground;
  await page.emulateMedia({ reducedMotion: "reduce" });
  await playground.open();
  await playground.showPanel("rules");
  const moving = await page.evaluate(() => [...document.querySelectorAll("*")].filter((element) => {
    const { transitionDuration, animationName } = getComputedStyle(element);
    return transitionDuration !== "0s" || animationName !== "none";
  }).map((element) => element.outerHTML.slice(0, 80)));
  expect(moving).toEqual([]);
});

firstVisit("a screen reader announces each change of the verdict once", async ({ playground }) => {
  const { page } = playground;
  await page.clock.install();
  await playground.open();
  await expect(playground.where()).toHaveText(/in this page/);
  await page.locator("#validation").selectOption("Strict");
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  const region = page.locator("[data-panel=announcement]");
  await expect(region).toContainText("accepted");
  const announced = await page.evaluateHandle(() => {
    const said: string[] = [];
    const place = document.querySelector("[data-panel=announcement]");
    if (place) new MutationObserver(() => said.push(place.textContent.trim())).observe(place, { subtree: true, childList: true, characterData: true });
    return said;
  });
  await playground.editor("object").getByText("replicas").click();
  const keys = await Typist.at(page);
  await keys.press("End");
  await keys.type(" # a comment");
  await keys.press("Home");
  await keys.type("image: nginx");
  await keys.press("Escape"); // closes the completions
  await keys.press("Enter");
  await keys.rest();
  await playground.settled();
  expect(await announced.jsonValue(), "while the object stays accepted").toEqual([]);

  await keys.press("End");
  await keys.press("Enter");
  await keys.type("unknown: 12345");
  await playground.settled();
  await keys.rest();
  await expect(region).toContainText("rejected");
  await keys.rest(); // a second announcement would follow
  const said = await announced.jsonValue();
  expect(said).toHaveLength(1);
  expect(said[0]).toContain("rejected");
});

/** Opens all panels and their details, so that the page has their content. */
async function openPanels(page: Page): Promise<void> {
  for (const tab of await page.locator("#result [role=tab]:visible").all()) {
    await tab.click();
    await settled(page);
  }
  await page.locator("[data-panel] details").evaluateAll((all) => { for (const details of all) (details as HTMLDetailsElement).open = true; });
}

/** Lists the words that their boxes cut, in each panel if there are several. */
async function cutTexts(page: Page, isInPanels: boolean): Promise<string[]> {
  return page.evaluate((panels) => {
    const tabs = panels ? [...document.querySelectorAll<HTMLElement>("#result [role=tab]")].filter((tab) => tab.checkVisibility()) : [];
    const found = tabs.flatMap((tab) => {
      tab.click();
      return cut();
    });
    return [...new Set(panels ? found : cut())];

    function cut(): string[] {
      return [...document.querySelectorAll<HTMLElement>("body *")].filter(isCut).map((element) =>
        `${element.id || (element.getAttribute("class") ?? element.nodeName)}: ${(element.innerText || element.textContent).trim().replace(/\s+/g, " ").slice(0, 80)}`);
    }

    function isCut(element: HTMLElement): boolean {
      // Texts for screen readers have a box of a pixel.
      if (element.clientWidth < 2 || !element.checkVisibility({ visibilityProperty: true }) || !element.textContent.trim()) return false;
      // The editors scroll, the details of a field repeat its line, and a link in the line of
      // the caret and a tab of the result scroll into sight when they have the focus.
      if (element.closest(".editor, .explain, details:not([open]) > .field-line") || element.matches("[data-tabs=panel]")) return false;
      const style = getComputedStyle(element);
      if (element instanceof HTMLSelectElement) return isCutChoice(element, style);
      if (element.matches(".copy")) return coversNote(element);
      // A long fix has its whole text in a title, and when its problem is unfolded.
      if (element.matches(".fix[title]") && style.textOverflow === "ellipsis") return false;
      // A label that leaves its button or the cell of a table covers others. Code keeps its
      // lines, and scrolls with a scrollbar; a sentence does not.
      const holds = ["TD", "TH", "BUTTON"].includes(element.nodeName);
      const isCode = element.matches("pre, .yaml");
      const hides = (overflow: string): boolean => holds || overflow === "hidden" || overflow === "clip" || (overflow !== "visible" && style.scrollbarWidth === "none");
      return ((hides(style.overflowX) || (style.overflowX === "auto" && !isCode)) && element.scrollWidth > element.clientWidth + 1) ||
        (hides(style.overflowY) && element.scrollHeight > element.clientHeight + 1);
    }

    /** Reports whether a button covers the reason of a change. */
    function coversNote(button: HTMLElement): boolean {
      const { left, bottom } = button.getBoundingClientRect();
      return [...button.parentElement?.querySelectorAll(".note") ?? []].some((note) => {
        const box = note.getBoundingClientRect();
        return box.width > 0 && box.right > left + 1 && box.top < bottom - 1;
      });
    }

    /** Reports whether a list shows only a part of its choice. */
    function isCutChoice(select: HTMLSelectElement, { font, paddingLeft, paddingRight }: CSSStyleDeclaration): boolean {
      const context = document.createElement("canvas").getContext("2d");
      if (!context) throw new Error("there is no canvas");
      context.font = font;
      const { width } = context.measureText(select.selectedOptions[0]?.text ?? "");
      const arrow = 16;
      return width + arrow + parseFloat(paddingLeft) + parseFloat(paddingRight) > select.clientWidth + 1;
    }
  }, isInPanels);
}

/** Opens one after another what covers the page, and lists the words that are cut in it. */
async function cutInDialogs(page: Page): Promise<string[]> {
  const cut: string[] = [];
  for (const opener of ["#share-open", "#history-open", "#gallery-open", "#document-add", "#sample-open", "?"]) {
    const button = page.locator(opener);
    if (opener === "?") await page.locator("body").press("?");
    else await button.click();
    await page.locator("dialog[open] details").evaluateAll((all) => { for (const details of all) (details as HTMLDetailsElement).open = true; });
    cut.push(...await cutTexts(page, false));
    await page.locator("dialog[open] details").evaluateAll((all) => { for (const details of all) (details as HTMLDetailsElement).open = false; });
    await page.keyboard.press("Escape");
  }
  return cut;
}

for (const { title, tag, all } of [
  { title: "no text of some examples is cut", tag: [], all: false },
  { title: "no text of any example is cut", tag: ["@nightly"], all: true },
]) {
  // A panel keeps what is unfolded and folded, so the page is of no use to other flows.
  firstVisit(title, { tag }, async ({ playground }) => {
    firstVisit.setTimeout(1_200_000);
    const { page } = playground;
    const widths = [390, 1024, 1280];
    const cut: Record<string, string[]> = {};
    const add = (texts: readonly string[], where: string): void => { for (const text of texts) (cut[text] ??= []).push(where); };
    await playground.open();
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      add(await cutInDialogs(page), `${width} with dialogs`);
    }
    const ids = await page.locator("[data-example]").evaluateAll((entries) => entries.map((entry) => entry.getAttribute("data-example") ?? ""));
    const varied = ["trace", "int-or-string-typed", "apply-conflict", "admission-user", "rule-libraries", "conversion-pizza-back", "crd-changes", "scope-examples"];
    for (const id of new Set(all ? ids : varied)) {
      await playground.openExample(id);
      await openPanels(page);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        add(await cutTexts(page, true), `${width} ${id}`);
      }
    }
    expect(cut).toEqual({});
  });
}
