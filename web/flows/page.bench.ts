import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type DocumentName, expect, Playground, test } from "./playground";
import { crd, object } from "./texts";

interface Sample {
  readonly name: string;
  readonly crd: string;
  readonly object: string;
}

const samples: Sample[] = [{ name: "CronTab", crd, object: object("3") }];

// A large CRD with many rules, where real projects' CRDs are at hand.
const corpus = process.env["CRDLAB_CORPUS"];
if (corpus) {
  const read = (name: string): string => readFileSync(join(corpus, "gateway-api", name), "utf8");
  samples.push({
    name: "HTTPRoute",
    crd: read("crd.httproutes.gateway.networking.k8s.io.yaml"),
    object: read("cr.httproutes.gateway.networking.k8s.io.1.yaml"),
  });
}

const keystrokes = 11;

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const milliseconds = (value: number): string => `${value.toFixed(0).padStart(7)} ms`;

/** Has the page note how long it is busy from now on, in ms. */
function watchBusy(): void {
  const result = document.getElementById("result");
  if (!result) return;
  let start = 0;
  new MutationObserver(() => {
    if (result.getAttribute("aria-busy") === "true") start ||= performance.now();
    else if (start > 0) {
      result.dataset["busyTimes"] = `${result.dataset["busyTimes"] ?? ""} ${performance.now() - start}`;
      start = 0;
    }
  }).observe(result, { attributeFilter: ["aria-busy"] });
}

/** The time from a keystroke, at the end of a document, to its result; in ms. */
async function keystroke(playground: Playground, name: DocumentName): Promise<number> {
  const { page } = playground;
  await playground.showDocument(name);
  await playground.editor(name).focus();
  await page.keyboard.press("ControlOrMeta+End");
  const result = page.locator("#result");
  await result.evaluate((element) => delete element.dataset["busyTimes"]);
  for (let i = 1; i <= keystrokes; i++) {
    await page.keyboard.type("#");
    await expect(result).toHaveAttribute("data-busy-times", new RegExp(`^( \\S+){${i}}$`), { timeout: 120_000 });
  }
  const times = (await result.getAttribute("data-busy-times")) ?? "";
  return median(times.trim().split(" ").map(Number));
}

test("the page's times", async ({ browser, baseURL }) => {
  const context = await browser.newContext();
  for (const visit of ["first visit", "second visit"]) {
    const playground = new Playground(await context.newPage());
    const start = performance.now();
    await playground.page.goto(baseURL ?? "");
    await expect(playground.where()).toHaveText(/in this page/);
    console.log(`${milliseconds(performance.now() - start)}  ${visit}, to the first result of the engine in the page`);
    await playground.page.close();
  }
  const playground = new Playground(await context.newPage());
  await playground.open(baseURL);
  await playground.page.evaluate(watchBusy);
  for (const sample of samples) {
    await playground.paste("crd", sample.crd);
    await playground.paste("object", sample.object);
    for (const document of ["crd", "object"] as const) {
      const time = await keystroke(playground, document);
      console.log(`${milliseconds(time)}  ${sample.name}, a keystroke in the ${document}`);
    }
  }
  await context.close();
});
