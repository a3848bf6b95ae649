import { deflateRawSync } from "node:zlib";
import { expect, type Page, type Playground, firstVisit, test } from "./playground";
import { crd, object } from "./texts";
import { Typist } from "./typist";

// Only the user moves anything around the content. The content, which may grow inside its box, is
// the open panel, the line of the verdict, the editors, the list of problems, the tabs
// and the line of options.

interface Shift {
  readonly value: number;
  readonly sources: string;
}

interface Watched {
  shifts: Shift[];
  /** The boxes of the parts of the page, once per frame in which they differ. */
  boxes: Set<string>;
  /** Each change of the verdict: the time in ms since the last key, and whether a document became readable. */
  verdicts: { verdict: string; quiet: number; repaired: boolean }[];
  /** The frames since the first key in which the line with the cursor was hidden. */
  hiddenLines: number;
}

/** Starts to record the browser's layout shifts, the boxes of the parts, and the verdicts. */
async function watch(page: Page): Promise<void> {
  await page.evaluate(() => {
    interface LayoutShift extends PerformanceEntry {
      readonly value: number;
      readonly sources: readonly { readonly node: Node | null }[];
    }
    const watched: Watched = { shifts: [], boxes: new Set(), verdicts: [], hiddenLines: 0 };
    Object.assign(globalThis, { watched });
    const content = ".panel, .brief, .document, #problems, [role=tablist], .request-line";
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries() as LayoutShift[]) {
        // Sources without a node are in the shadow roots of the editors, such as their tooltips.
        const elements = sources.map(({ node }) => (node instanceof Element ? node : node?.parentElement));
        const outside = elements.filter((element) => element && !element.closest(content));
        if (outside.length > 0) watched.shifts.push({ value, sources: outside.map((element) => element?.id || element?.className || element?.nodeName).join(" ") });
      }
    }).observe({ type: "layout-shift" });
    const names = [".page-header", "#documents", ".document:not([hidden])", "#group-object .document:not([hidden])", "#problems", ".request", ".request-line", "#operation", "#kubernetes", "#validation", ".brief", "#tab-outcome", ".panel:not([hidden])", ".page-footer"];
    const editedLine = (): boolean => {
      const editor = document.activeElement?.shadowRoot;
      const cursor = editor?.querySelector(".cm-cursor-primary")?.getBoundingClientRect();
      const scroller = editor?.querySelector(".cm-scroller")?.getBoundingClientRect();
      return !cursor?.height || !scroller || (cursor.top >= scroller.top - 2 && cursor.bottom <= scroller.bottom + 2);
    };
    let lastKey = performance.now();
    let hasTyped = false;
    let wasKept = false;
    addEventListener("keydown", () => {
      lastKey = performance.now();
      hasTyped = true;
    }, { capture: true });
    const line = document.querySelector("[data-panel=brief]");
    let shown = line?.textContent ?? "";
    new MutationObserver(() => {
      const verdict = line?.textContent ?? "";
      if (verdict !== shown) watched.verdicts.push({ verdict, quiet: performance.now() - lastKey, repaired: wasKept });
      shown = verdict;
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    const frame = (): void => {
      watched.boxes.add(names.map((name) => {
        const { x, y, width, height } = document.querySelector(name)?.getBoundingClientRect() ?? new DOMRect();
        return `${name} ${[x, y, width, height].map(Math.round).join(" ")}`;
      }).join("\n"));
      wasKept = document.querySelector("#result")?.hasAttribute("data-kept") ?? false;
      if (hasTyped && !editedLine()) watched.hiddenLines++;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
}

/** Returns the recording since the start of watch. */
function watched(page: Page): Promise<Omit<Watched, "boxes"> & { boxes: string[] }> {
  return page.evaluate(() => {
    const { watched: recorded } = globalThis as unknown as { watched: Watched };
    return { ...recorded, boxes: [...recorded.boxes] };
  });
}

async function expectSteady(page: Page): Promise<void> {
  const { shifts, boxes, hiddenLines } = await watched(page);
  const sum = shifts.reduce((total, { value }) => total + value, 0);
  console.log(`layout shift around the content: ${sum.toFixed(4)}`);
  expect(sum, JSON.stringify(shifts)).toBe(0);
  expect(boxes, "the boxes of the parts of the page").toHaveLength(1);
  expect(hiddenLines, "frames in which the edited line was hidden").toBe(0);
}

/** Opens the two sample documents and waits for the engine of the page. */
async function openTexts(playground: Playground): Promise<void> {
  await playground.open();
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.page.locator("#validation").selectOption("Strict");
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await watch(playground.page);
}

/** The shortest pause in ms before the verdict changes; the page waits a little longer. */
const pause = 400;

const rule = "- rule: self.replicas < 9 || (has(self.image) && self.image.startsWith('example'))";

test("a notice covers the end of the result, and nothing moves", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", "a: [");
  await watch(page);
  await page.locator("#format").click();
  await expect(page.locator("#notice")).toContainText("cannot be formatted");
  await expectSteady(page);
});

test("a second CRD in the document brings a list, and nothing moves", async ({ playground }) => {
  const { page } = playground;
  await openTexts(playground);
  await playground.editor("crd").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText(`---\n${crd.replaceAll("crontab", "backup").replace("CronTab", "Backup").replace("[ct]", "[bu]")}`);
  const rows = page.locator("#crds li");
  await expect(rows).toHaveText([/crontabs.*Accepted/s, /backups.*CRD accepted/s]);
  const list = await page.locator("#crds").boundingBox();
  const first = await page.locator("#panel-outcome .panel-body").boundingBox();
  expect(first!.y, "the start of the result").toBeGreaterThanOrEqual(list!.y + list!.height);
  await rows.last().getByRole("button").click();
  await expect(rows.last().getByRole("button")).toHaveAttribute("aria-current", "true");
  await playground.settled();
  await expectSteady(page);
});

firstVisit("the question for the permission covers the end of the result, and nothing moves", async ({ playground }) => {
  const { page } = playground;
  await page.route(/\.wasm$/, (route) => route.abort());
  await playground.open();
  await expect(playground.where()).toHaveText(/on the server/);
  await watch(page);
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("  x: 1", { delay: 20 });
  await expect(page.locator("#permission")).toBeVisible();
  await page.locator("#permission-refuse").click();
  await expect(page.locator("#permission")).toBeHidden();
  await expectSteady(page);
});

firstVisit("the offer of a release's libraries covers the end of the result, and nothing moves", async ({ playground }) => {
  const { page } = playground;
  // A server with the libraries of a release that the page has no module for.
  await page.route("/", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()).replace(/"releases":\[[^\]]*\]/, '"releases":["1.32"]') });
  });
  await openTexts(playground);
  await page.locator("#kubernetes").selectOption("1.32");
  await expect(page.locator("#release-offer")).toBeVisible();
  await playground.settled();
  await page.locator("#kubernetes").selectOption("");
  await expect(page.locator("#release-offer")).toBeHidden();
  await expectSteady(page);
});

test("expectations in the documents bring a summary and a tab, and nothing moves", async ({ playground }) => {
  const { page } = playground;
  await openTexts(playground);
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(' # want "x"', { delay: 20 });
  await expect(page.locator("#tests-summary")).toHaveAttribute("title", "0 of 1 expectation met");
  await expect(page.locator("#tab-tests")).toBeVisible();
  await expectSteady(page);
});

test("while a rule is typed, nothing around the content moves", async ({ playground }) => {
  const { page } = playground;
  await openTexts(playground);
  await playground.editor("crd").getByText("many replicas need an image").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Home");
  await page.keyboard.press("Home");
  await page.keyboard.insertText("            ");
  await page.keyboard.type(rule, { delay: 20 });
  await playground.settled();
  await expectSteady(page);
});

/** A CRD with a list of any length; its source ends where a rule is missing. */
const ruleless = crd.replace(/ +x-kubernetes-validations[^]*?(?= +properties:\n +cronSpec)/, "") +
  "              names: {type: array, items: {type: string}}\n            x-kubernetes-validations:\n            ";
const costly = "- rule: self.names.all(n, self.names.exists(m, m == n))";

for (const [width, height] of [[1280, 800], [390, 844]] as const) {
  for (const panel of ["rules", "outcome"] as const) {
    test(`while a rule beyond the budget is typed at ${width} pixels beside the panel ${panel}, nothing around the content moves`, async ({ playground }) => {
      const { page } = playground;
      await page.setViewportSize({ width, height });
      await playground.open();
      await expect(playground.where()).toHaveText(/in this page/);
      await playground.paste("crd", ruleless);
      await playground.showPanel(panel);
      await playground.editor("crd").focus();
      await page.keyboard.press("ControlOrMeta+End");
      await watch(page);
      await page.keyboard.type(costly, { delay: 20 });
      await expect(page.locator("[data-panel=brief]")).toContainText("Rejected");
      await expect(playground.problems().first()).toContainText("exceeds budget");
      await playground.settled();
      expect((await watched(page)).shifts).toEqual([]);
    });
  }
}

test("while a field is typed, nothing moves, and the verdict changes only after a pause", async ({ playground }) => {
  const { page } = playground;
  await openTexts(playground);
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("  timeouts:", { delay: 30 });
  await page.keyboard.press("Enter");
  await page.keyboard.type("request: 10s", { delay: 30 });
  await expect(page.locator("[data-panel=brief]")).toContainText("Rejected");
  await playground.settled();
  const { verdicts } = await watched(page);
  expect(verdicts.length).toBeGreaterThan(0);
  expect(verdicts.filter(({ quiet, repaired }) => quiet < pause && !repaired), "verdicts between two keystrokes").toEqual([]);
  await expectSteady(page);
});

test("while a document is unreadable, the last result stays where it is", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1280, height: 600 });
  await openTexts(playground);
  const panel = page.locator("#panel-outcome");
  await panel.evaluate((element) => element.scrollTo(0, 120));
  const at = await panel.evaluate(({ scrollTop }) => scrollTop);
  expect(at).toBeGreaterThan(0);
  await playground.editor("object").getByText("replicas").click();
  await page.keyboard.press("End");
  await page.keyboard.type(":");
  await expect(page.locator("#result")).toHaveAttribute("data-kept", "");
  await playground.settled();
  await expect(page.locator("[data-panel=brief]")).toContainText("Rejected");
  await expect(page.locator("#last-result")).toBeVisible();
  await expect(panel.locator(".state .yaml-line", { hasText: "cronSpec" })).toHaveCount(1);
  expect(await panel.evaluate(({ scrollTop }) => scrollTop)).toBe(at);
  await expect(playground.problems().first()).toContainText("yaml");
  await page.keyboard.press("Backspace");
  await expect(page.locator("#result")).not.toHaveAttribute("data-kept");
  await playground.settled();
  await expect(page.locator("[data-panel=brief]")).toContainText("Accepted");
  expect(await panel.evaluate(({ scrollTop }) => scrollTop)).toBe(at);
  await expectSteady(page);
});

test("while an answer is awaited, the verdict fades with the panel, the problems and the counts, and nothing moves", async ({ playground }) => {
  const { page } = playground;
  await openTexts(playground);
  await playground.paste("object", object("15"));
  await expect(page.locator("[data-panel=brief]")).toContainText("Rejected");
  const parts = [".brief > *", "#panel-outcome .panel-body", "#problems > *", "#tab-object .count"];
  const opacities = (): Promise<string[]> => page.evaluate((selectors) => selectors.map((part) => {
    const element = document.querySelector(part);
    return element ? getComputedStyle(element).opacity : "missing";
  }), parts);
  expect(await opacities()).toEqual(parts.map(() => "1"));
  const release = await page.evaluateHandle(() => {
    const held: (() => void)[] = [];
    const original = Object.getOwnPropertyDescriptor(Worker.prototype, "postMessage");
    const send = original?.value as (this: Worker, message: unknown) => void;
    Worker.prototype.postMessage = function (message: unknown) { held.push(() => { send.call(this, message); }); };
    return () => {
      if (original) Object.defineProperty(Worker.prototype, "postMessage", original);
      for (const each of held) each();
    };
  });
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("# a");
  await expect.poll(opacities).toEqual(parts.map(() => "0.5"));
  // Ordinary answers precede the fade.
  expect(await page.locator(".brief > *").evaluate((line) => getComputedStyle(line).transitionDelay)).toBe("0.35s");
  await release.evaluate((go) => go());
  await playground.settled();
  await expect.poll(opacities).toEqual(parts.map(() => "1"));
  await expectSteady(page);
});

test("the first edit of an example moves nothing", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("crontab-validation");
  await expect(playground.where()).toHaveText(/in this page/);
  await watch(page);
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("  x: 1", { delay: 20 });
  await playground.settled();
  await expect(page.locator("#example-note")).toBeVisible();
  await expectSteady(page);
});

for (const example of ["crontab-valid", "admission-user"]) {
  for (const width of [1280, 900]) {
    test(`each operation on ${example} at ${width} pixels moves nothing`, async ({ playground }) => {
      const { page } = playground;
      await page.setViewportSize({ width, height: 800 });
      await playground.openExample(example);
      await expect(playground.where()).toHaveText(/in this page/);
      await watch(page);
      for (const operation of ["create", "update", "updateStatus", "apply", "applyStatus", "delete", "scale", ""]) {
        await page.locator("#operation").selectOption(operation);
        await playground.settled();
      }
      await expectSteady(page);
    });
  }
}

test("without a click, the first screen shows a pruned and a defaulted field, a rule and a row", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1280, height: 800 });
  await playground.open();
  const panel = await page.locator("#panel-outcome").boundingBox();
  for (const part of [".yaml-line.is-added", ".yaml-line.is-removed", ".digest-rules .tag", ".digest-cost", ".digest .terminal pre"]) {
    const box = await page.locator(`#panel-outcome ${part}`).first().boundingBox();
    expect(box, part).not.toBeNull();
    expect((box?.y ?? 0) + (box?.height ?? 0), `the end of ${part}`).toBeLessThanOrEqual((panel?.y ?? 0) + (panel?.height ?? 0));
  }
  await expect(page.locator(".yaml-line.is-added .note").first()).toContainText("defaulted");
  await expect(page.locator(".yaml-line.is-removed .note").first()).toContainText("pruned");
});

test("a problem has one line, and unfolds to the server's message, the rule and the trace", async ({ playground }) => {
  await playground.openExample("trace");
  const problem = playground.problems().first();
  const { height = 0 } = (await problem.boundingBox()) ?? {};
  expect(height).toBeLessThan(40);
  await problem.locator("summary").first().click();
  await expect(problem.locator(".problem-verbatim")).toContainText("Invalid value: every host is below example.com");
  await expect(problem.locator(".problem-rule")).toContainText("cost");
  await expect(problem.locator(".trace")).toBeVisible();

  const long = "x".repeat(300);
  await playground.openExample("crontab-validation");
  await playground.paste("object", (await playground.text("object")).replace('"* * * *"', long));
  const message = playground.problems().first().locator(".problem-message");
  await expect(message.locator(".problem-value")).toHaveText(/^"x+…x+"$/);
  await expect(message).toContainText("should match '^(");
  expect((await message.innerText()).length).toBeLessThan(140);
});

test("the height of the problems is kept, and a double click resets it", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const height = async (): Promise<number> => (await page.locator("#problems").boundingBox())?.height ?? 0;
  const standard = await height();
  await page.locator("#problems-split").focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowUp");
  const larger = await height();
  expect(larger).toBeGreaterThan(standard + 30);
  await playground.paste("object", object("30"));
  expect(await height()).toBe(larger);
  await page.reload();
  await playground.settled();
  expect(await height()).toBe(larger);
  await page.locator("#problems-split").dblclick();
  expect(await height()).toBe(standard);
});

const columns = [
  [1920, (crdBox, objectBox, result) => crdBox.right <= objectBox.left && objectBox.right <= result.left],
  [1280, (crdBox, objectBox, result) => crdBox.bottom <= objectBox.top && crdBox.right <= result.left && objectBox.right <= result.left],
  [900, (crdBox, objectBox, result) => crdBox.bottom <= objectBox.top && objectBox.right <= result.left],
] as const satisfies readonly [number, (...boxes: DOMRect[]) => boolean][];

for (const [width, isPlaced] of columns) {
  test(`${width} pixels wide, the CRD, the object and the result are side by side`, async ({ playground }) => {
    const { page } = playground;
    await page.setViewportSize({ width, height: 800 });
    await playground.open();
    const boxes = await page.evaluate(() => ["[data-editor=crd]", "[data-editor=object]", "#panel-outcome"].map((part) => document.querySelector(part)?.getBoundingClientRect().toJSON() as DOMRect));
    expect(isPlaced(...(boxes as [DOMRect, DOMRect, DOMRect])), JSON.stringify(boxes)).toBe(true);
  });
}

test("every pane can be maximized and restored", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  for (const [pane, place] of [["crd", "[data-editor=crd]"], ["object", "[data-editor=object]"], ["problems", "#problems"], ["result", "#result"]] as const) {
    const button = page.locator(`[data-maximize=${pane}]`);
    const width = async (): Promise<number> => (await page.locator(place).boundingBox())?.width ?? 0;
    const before = await width();
    await button.click();
    await expect(button).toHaveAttribute("aria-pressed", "true");
    expect(await width(), pane).toBeGreaterThan(1200);
    await button.click();
    expect(await width(), pane).toBe(before);
  }
});

test("in a narrow window, the verdict stays in sight and a bar leads to each part", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 390, height: 844 });
  await playground.openExample("crontab-validation");
  const inSight = async (part: string): Promise<boolean> => {
    const box = await page.locator(part).boundingBox();
    return box !== null && box.y >= -1 && box.y < 780;
  };
  await page.locator("[data-jump=result]").click();
  expect(await inSight("#tab-outcome")).toBe(true);
  expect(await inSight("[data-panel=brief]")).toBe(true);
  await page.locator("[data-jump=crd]").click();
  await expect(playground.editor("crd")).toBeVisible();
  expect(await inSight("[data-editor=crd]")).toBe(true);
  await expect(playground.editor("object")).toBeHidden();
  await page.locator("[data-jump=problems]").click();
  expect(await inSight("#problems")).toBe(true);
});

firstVisit("a keystroke that changes no result writes nothing outside the editors until the user pauses", async ({ playground }) => {
  const { page } = playground;
  await page.clock.install();
  // Otherwise the result has the time of the request.
  const scenario = { crd, object: object("3"), now: "2026-01-02T03:04:05Z" };
  await playground.open(`/#1=${deflateRawSync(JSON.stringify(scenario)).toString("base64url")}`);
  await playground.editor("object").getByText("replicas").click();
  const explained = page.locator("[data-explain=object]");
  await expect(explained).toContainText("replicas");
  const keys = await Typist.at(page);
  await keys.press("ControlOrMeta+End");
  await keys.type("# ");
  await playground.settled();
  await keys.rest();
  await expect(explained).not.toContainText("replicas");
  const written = await page.evaluateHandle(() => {
    const nodes: string[] = [];
    new MutationObserver((records) => {
      for (const { target, type, attributeName } of records) {
        const at = target instanceof Element ? target : target.parentElement;
        if (at && !at.closest("[data-editor]")) nodes.push(`${at.outerHTML.slice(0, 80)} ${attributeName ?? type}`);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    return nodes;
  });
  await keys.type("a");
  await playground.settled();
  expect(await written.jsonValue()).toEqual([]);
});
