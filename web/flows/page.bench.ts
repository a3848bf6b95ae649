// Measures the page's latency in the page: from a key event to the change of the
// panels, and to the frame that shows it. At 60 Hz, waiting for a frame adds up to
// 16.7 ms to the latter.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { type DocumentName, expect, type Page, Playground, test } from "./playground";
import { record } from "./figures";
import { crd, object } from "./texts";

interface Sample {
  readonly name: string;
  readonly crd: string;
  readonly object: string;
  /** The number of measured keystrokes in each document. */
  readonly keystrokes: number;
}

const samples: Sample[] = [{ name: "CronTab", crd, object: object("3"), keystrokes: 60 }];

// A CRD with a large number of rules and a very large CRD, if the corpus is present.
const corpus = process.env["CRDLAB_CORPUS"];
if (corpus) {
  const read = (name: string): string => readFileSync(join(corpus, name), "utf8");
  samples.push(
    {
      name: "HTTPRoute",
      crd: read("gateway-api/crd.httproutes.gateway.networking.k8s.io.yaml"),
      object: read("gateway-api/cr.httproutes.gateway.networking.k8s.io.1.yaml"),
      keystrokes: 30,
    },
    {
      name: "ClusterPolicy",
      crd: read("kyverno/crd.clusterpolicies.kyverno.io.yaml"),
      object: read("kyverno/cr.clusterpolicies.kyverno.io.1.yaml"),
      keystrokes: 20,
    },
  );
}

/** Durations since a key event, in ms. */
interface Stroke {
  /** Until the first frame, which shows the character; no panel is painted earlier. */
  readonly typed: number;
  /** Until the first findings, which may be preliminary. */
  readonly found: number;
  /** Until the complete answer. */
  readonly changed: number;
  /** Until the frame that shows it. */
  readonly painted: number;
}

/** The times that the page records, in ms. */
interface Notes {
  /** From the navigation to the verdict in the served page. */
  sight: number;
  /** From the navigation to the engine's first verdict. */
  verdict: number;
  readonly strokes: Stroke[];
  /** Receives each keystroke. */
  onStroke: () => void;
}

declare global {
  var notes: Notes;
}

/** Installs the recorder before the page loads. */
function takeNotes(): void {
  globalThis.notes = { sight: 0, verdict: 0, strokes: [], onStroke: () => undefined };
  let pressed = 0;
  let typed = 0;
  let found = 0;
  let busy = false;
  const afterFrame = (then: () => void): void => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = then;
      port2.postMessage("");
    });
  };
  const press = (event: KeyboardEvent): void => {
    pressed = event.timeStamp;
    typed = 0;
    found = 0;
    busy = false;
    afterFrame(() => (typed = performance.now() - event.timeStamp));
  };
  addEventListener("keydown", press, { capture: true });
  const arrival = new MutationObserver(() => {
    if (!document.querySelector("[data-verdict]")) return;
    arrival.disconnect();
    afterFrame(() => (notes.sight = performance.now()));
  });
  arrival.observe(document, { childList: true, subtree: true });
  addEventListener("DOMContentLoaded", () => {
    const result = document.getElementById("result");
    const where = document.getElementById("where");
    if (!result || !where) return;
    new MutationObserver(() => {
      if (notes.verdict === 0 && where.textContent.includes("in this page")) {
        afterFrame(() => (notes.verdict = performance.now()));
      }
    }).observe(where, { childList: true });
    new MutationObserver(() => {
      if (result.getAttribute("aria-busy") === "true") busy = true;
      if (!busy || pressed === 0) return;
      const from = pressed;
      const now = performance.now() - from;
      if (!result.hasAttribute("data-stale")) found ||= now;
      if (result.getAttribute("aria-busy") === "true") return;
      const stroke = { found, changed: now };
      pressed = 0;
      afterFrame(() => {
        const painted = performance.now() - from;
        notes.strokes.push({ ...stroke, typed: typed || painted, painted });
        notes.onStroke();
      });
    }).observe(result, { attributeFilter: ["aria-busy", "data-stale"] });
  });
}

/** The patterns of the lines that the benchmark edits; the first match wins. */
interface Place {
  readonly name: string;
  readonly document: DocumentName;
  readonly line: RegExp;
}

const inObject: Place = { name: "the object", document: "object", line: /^ {2}name: / };
const inDescription: Place = { name: "a description", document: "crd", line: /^\s+(?:description|message): [A-Za-z]/ };
/** A rule is invalid while it is edited. */
const inRule: Place = { name: "a rule", document: "crd", line: /^\s+(?:- )?rule: \w/ };

/** Places the cursor at the end of the first matching line; returns false without a match. */
async function goTo(playground: Playground, { document, line: pattern }: Place, text: string): Promise<boolean> {
  const line = text.split("\n").findIndex((candidate) => pattern.test(candidate));
  const { page } = playground;
  await playground.showDocument(document);
  await playground.editor(document).focus();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let i = 0; i < line; i++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  return line >= 0;
}

/** Types a character and waits until its result is painted. */
async function stroke(page: Page, i: number): Promise<void> {
  const painted = await page.evaluateHandle(() => ({ stroke: new Promise<void>((resolve) => (notes.onStroke = resolve)) }));
  await page.keyboard.press("abcdefghij"[i % 10] ?? "a");
  await painted.evaluate(({ stroke }) => stroke);
  await painted.dispose();
}

async function strokes(page: Page, count: number): Promise<Notes["strokes"]> {
  // The browser still optimizes the engine during these first keystrokes.
  for (let i = 0; i < 10; i++) await stroke(page, i);
  await page.evaluate(() => void notes.strokes.splice(0));
  for (let i = 0; i < count; i++) {
    await stroke(page, i);
    await page.waitForTimeout(50);
  }
  return page.evaluate(() => notes.strokes);
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly dur?: number;
  readonly args?: { readonly name?: string };
}

/** Finds the longest task on the page's main thread, the busiest in the trace, in ms. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = traceEvents.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain");
  const tasks = traceEvents.filter(({ name }) => name.endsWith("RunTask"));
  const durations = mains.map(({ pid, tid }) =>
    tasks.filter((task) => task.pid === pid && task.tid === tid).map(({ dur = 0 }) => dur / 1000),
  );
  const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
  return Math.max(0, ...(durations.toSorted((a, b) => total(b) - total(a))[0] ?? []));
}

test("visits", async ({ playwright, launchOptions, baseURL }) => {
  const visits = ["first visit", "second visit"] as const;
  const inSight: Record<string, number[]> = {};
  const byEngine: Record<string, number[]> = {};
  for (let pair = 0; pair < 7; pair++) {
    // A profile on disk, as users have, keeps compiled code.
    const profile = mkdtempSync(join(tmpdir(), "crdlab-profile-"));
    const context = await playwright.chromium.launchPersistentContext(profile, { ...launchOptions, serviceWorkers: "allow" });
    await context.addInitScript(takeNotes);
    for (const visit of visits) {
      const page = await context.newPage();
      await page.goto(baseURL ?? "");
      await page.waitForFunction(() => notes.verdict > 0, undefined, { timeout: 60_000 });
      const { sight, verdict } = await page.evaluate(() => notes);
      (inSight[visit] ??= []).push(sight);
      (byEngine[visit] ??= []).push(verdict);
      // The browser stores the compiled module some time after its run.
      await page.waitForTimeout(4_000);
      await page.close();
    }
    await context.close();
    rmSync(profile, { recursive: true });
  }
  for (const visit of visits) {
    record("default", `${visit} to the verdict in sight`, "ms", inSight[visit] ?? []);
    record("default", `${visit} to the first verdict of the engine`, "ms", byEngine[visit] ?? []);
  }
});

for (const sample of samples) {
  test(`keystrokes in ${sample.name}`, async ({ browser, page, baseURL }) => {
    await page.addInitScript(takeNotes);
    const playground = new Playground(page);
    await playground.open(baseURL);
    await expect(playground.where()).toHaveText(/in this page/);
    await playground.paste("crd", sample.crd);
    await playground.paste("object", sample.object);
    for (const place of [inObject, inDescription, inRule]) {
      if (!(await goTo(playground, place, place.document === "crd" ? sample.crd : sample.object))) continue;
      const { name } = place;
      const times = await strokes(page, sample.keystrokes);
      record(sample.name, `keystroke in ${name} to the character painted`, "ms", times.map(({ typed }) => typed));
      record(sample.name, `keystroke in ${name} to first findings`, "ms", times.map(({ found }) => found));
      record(sample.name, `keystroke in ${name} to changed panels`, "ms", times.map(({ changed }) => changed));
      record(sample.name, `keystroke in ${name} to painted panels`, "ms", times.map(({ painted }) => painted));
      await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
      for (let i = 0; i < 20; i++) {
        await page.keyboard.press("x");
        await page.waitForTimeout(120);
      }
      await playground.settled();
      record(sample.name, `longest task of the page, typing in ${name}`, "ms", [longestTask(await browser.stopTracing())]);
    }
  });
}

/** Sums the heaps of the page and its worker, in MiB, without the engine's memory. */
async function heaps(page: Page): Promise<number> {
  const bytes = await page.evaluate(async () => {
    const measured = performance as Performance & {
      measureUserAgentSpecificMemory(): Promise<{ readonly bytes: number }>;
    };
    return (await measured.measureUserAgentSpecificMemory()).bytes;
  });
  return bytes / (1 << 20);
}

/** Returns the memory of the largest process, in MiB: page, worker, engine and code. */
async function residentMemory(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const kilobytes = processInfo
    .filter(({ type }) => type === "renderer")
    .map(({ id }) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]));
  return Math.max(...kilobytes) / (1 << 10);
}

test("memory", async ({ browser, page, baseURL }) => {
  await page.addInitScript(takeNotes);
  const playground = new Playground(page);
  await playground.open(baseURL);
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  const edit = async (count: number): Promise<void> => {
    for (const [place, text] of [[inDescription, crd], [inObject, object("3")]] as const) {
      await goTo(playground, place, text);
      for (let i = 0; i < count / 2; i++) await stroke(page, i);
    }
  };
  const devtools = await page.context().newCDPSession(page);
  let edits = 0;
  for (const count of [100, 1000, 1000]) {
    await edit(count);
    edits += count;
    // A browser with free memory does not collect garbage.
    await devtools.send("HeapProfiler.collectGarbage");
    record("CronTab", `heaps after ${edits} edits`, "MiB", [await heaps(page)]);
    record("CronTab", `process after ${edits} edits`, "MiB", [await residentMemory(browser)]);
  }
});
