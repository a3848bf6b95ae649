import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, type Page, type PanelName, type Playground, test } from "./playground";

// Compares the geometry and the colours of the main states with layout/*.txt, which
// this command updates:
//
//   npx playwright test -c web/flows layout.flow --update-snapshots=all
//
// Colours must be equal; positions may differ by the effect of other fonts.

/** The tolerance of an edge's position, in pixels and as a fraction of the size. */
const tolerance = { pixels: 24, part: 0.12 };

interface State {
  readonly example: string;
  readonly panel: PanelName;
  readonly dialog?: string;
}

const states: Readonly<Record<string, State>> = {
  first: { example: "crontab-stored", panel: "outcome" },
  start: { example: "crontab-valid", panel: "outcome" },
  error: { example: "crontab-validation", panel: "outcome" },
  rules: { example: "trace", panel: "rules" },
  versions: { example: "conversion-pizza", panel: "versions" },
  share: { example: "crontab-valid", panel: "outcome", dialog: "share" },
  gallery: { example: "crontab-valid", panel: "outcome", dialog: "gallery" },
};

const landmarks = [
  "body", ".page-header", ".page-header h1", "#gallery-open", "#operation", "#validation", "#kubernetes", "#share-open", ".request", "[data-panel=brief]", "[data-panel=brief] .verdict-word",
  "#documents", "#tab-crd", "[data-editor=crd]", "#tab-object", "#sample-open", "[data-editor=object]", "#problems", ".problem .problem-message",
  "#result", "#tab-outcome", "#tab-rules", "#example-note", "[data-verdict=crd]", "[data-verdict=object]", "[data-verdict=object] .verdict-word",
  ".stages", ".stage.is-fail .stage-pill", ".panel:not([hidden]) .yaml", ".yaml-line .key", ".rule-table", ".rule .tag", ".trace",
  ".version-table", ".digest-rules", ".digest .terminal", ".jump-bar", ".page-footer", "dialog[open]", "dialog[open] h2", "dialog[open] input", "dialog[open] .is-primary", ".gallery-entry",
];

interface Part {
  readonly box: readonly number[];
  readonly colours: string;
}

/** The landmarks of the page, by selector. */
function measure(page: Page): Promise<Record<string, Part>> {
  return page.evaluate((selectors) => {
    const parts: Record<string, { box: number[]; colours: string }> = {};
    for (const selector of selectors) {
      const element = [...document.querySelectorAll(selector)].find((candidate) => candidate.checkVisibility() && candidate.getClientRects().length > 0);
      if (!element) continue;
      const { x, y, width, height } = element.getBoundingClientRect();
      const { color, backgroundColor, borderTopColor, borderTopWidth, fontWeight } = getComputedStyle(element);
      const border = borderTopWidth === "0px" ? "none" : borderTopColor;
      parts[selector] = { box: [x, y + scrollY, width, height].map(Math.round), colours: `${color} on ${backgroundColor}, border ${border}, weight ${fontWeight}` };
    }
    return parts;
  }, landmarks);
}

const lineOf = (state: string, selector: string, { box, colours }: Part): string => `${state} | ${selector} | ${box.join(" ")} | ${colours}`;

function parse(text: string): Map<string, Part> {
  return new Map(text.split("\n").filter((line) => line !== "").map((line) => {
    const [state, selector, box = "", colours = ""] = line.split(" | ");
    return [`${state} | ${selector}`, { box: box.split(" ").map(Number), colours }];
  }));
}

/** Lists the differences, one sentence each. */
function differences(want: Map<string, Part>, got: Map<string, Part>): string[] {
  const found: string[] = [];
  for (const name of new Set([...want.keys(), ...got.keys()])) {
    const [wanted, is] = [want.get(name), got.get(name)];
    if (!wanted || !is) {
      found.push(`${name} ${is ? "is new" : "is not there"}`);
      continue;
    }
    if (wanted.colours !== is.colours) found.push(`${name} is ${is.colours}, want ${wanted.colours}`);
    const size = [wanted.box[2] ?? 0, wanted.box[3] ?? 0];
    const isOff = (edge: number, i: number): boolean => {
      const most = Math.max(tolerance.pixels, tolerance.part * Math.max(size[i % 2] ?? 0, i < 2 ? edge : 0));
      return Math.abs(edge - (is.box[i] ?? 0)) > most;
    };
    if (wanted.box.some(isOff)) found.push(`${name} is at ${is.box.join(" ")}, want ${wanted.box.join(" ")}`);
  }
  return found;
}

async function show(playground: Playground, { example, panel, dialog }: State): Promise<void> {
  const { page } = playground;
  await page.goto("about:blank");
  await playground.openExample(example);
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.showPanel(panel);
  await playground.settled();
  if (dialog) await page.locator(`#${dialog}-open`).click();
  await page.mouse.move(1, 1);
}

const ways = { light: ["light", 1280], dark: ["dark", 1280], wide: ["light", 1920], medium: ["light", 900], narrow: ["light", 390] } as const;

for (const [way, [colorScheme, width]] of Object.entries(ways)) {
  test(`${way}, the main states look as they should`, { tag: way === "light" ? [] : "@nightly" }, async ({ playground }, { config }) => {
    test.slow();
    const { page } = playground;
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize({ width, height: 860 });
    const lines: string[] = [];
    for (const [name, state] of Object.entries(states)) {
      await show(playground, state);
      const parts = await measure(page);
      await page.screenshot({ path: `test-results/pictures/layout-${way}-${name}.png` });
      lines.push(...Object.entries(parts).map(([selector, part]) => lineOf(name, selector, part)));
    }
    const text = `${lines.join("\n")}\n`;
    const file = fileURLToPath(new URL(`layout/${way}.txt`, import.meta.url));
    if (config.updateSnapshots === "all") {
      mkdirSync(fileURLToPath(new URL("layout", import.meta.url)), { recursive: true });
      writeFileSync(file, text);
    }
    expect(existsSync(file), `${file} is there`).toBe(true);
    expect(differences(parse(readFileSync(file, "utf8")), parse(text))).toEqual([]);
  });
}
