// Measures the page's latency in the page: from a key event to the change of the
// panels, and to the frame that shows it. At 60 Hz, waiting for a frame adds up to
// 16.7 ms to the latter.
//
// OLD names a checkout with a built program. Both programs then take turns in one Chromium,
// because times depend on the machine and on what else it does; the ratios hardly do.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser } from "@playwright/test";
import { Figures, type Side } from "./figures";
import { type DocumentName, expect, type Page, Playground, firstVisit as test } from "./playground";
import { Profile } from "./profile";
import { program, type Server, startServer } from "./server";
import { crd, object } from "./texts";

const old = process.env["OLD"];
const programs = new Map<Side, string>([...(old ? [["old", join(old, "bin", "crdlab")] as const] : []), ["new", program]]);
/** The number of turns of each side. */
const rounds = Number(process.env["ROUNDS"] ?? 3);

interface Sample {
  readonly name: string;
  readonly crd: string;
  readonly object: string;
  /** The number of measured keystrokes in each document and turn. */
  readonly keystrokes: number;
}

const samples: Sample[] = [{ name: "CronTab", crd, object: object("3"), keystrokes: 40 }];

// A CRD with a large number of rules and a very large CRD, if the corpus is present.
const corpus = process.env["CRDLAB_CORPUS"];
if (corpus) {
  const read = (name: string): string => readFileSync(join(corpus, name), "utf8");
  samples.push(
    {
      name: "HTTPRoute",
      crd: read("gateway-api/crd.httproutes.gateway.networking.k8s.io.yaml"),
      object: read("gateway-api/cr.httproutes.gateway.networking.k8s.io.1.yaml"),
      keystrokes: 15,
    },
    {
      name: "ClusterPolicy",
      crd: read("kyverno/crd.clusterpolicies.kyverno.io.yaml"),
      object: read("kyverno/cr.clusterpolicies.kyverno.io.1.yaml"),
      keystrokes: 10,
    },
  );
}

/** Durations since a key event, in ms. */
interface Stroke {
  /** Until the first frame, which shows the character; no panel is painted earlier. */
  readonly typed: number;
  /** Until the first question to the engine. */
  readonly asked: number;
  /** Until the last answer of the engine. */
  readonly answered: number;
  /** Until the first findings, which may be preliminary. */
  readonly found: number;
  /** Until the frame that shows the complete answer. */
  readonly painted: number;
}

/** The times that the page records, in ms. */
interface Notes {
  /** From the navigation to the verdict in the served page. */
  sight: number;
  /** From the navigation to the first verdict of the engine in the page, which may be the last visit's. */
  verdict: number;
  /** From the navigation to the first answer of the engine. */
  answer: number;
  /** The size of the engine's memory after its last reply, in bytes. */
  memory: number;
  readonly strokes: Stroke[];
  /** Receives each keystroke. */
  onStroke: () => void;
}

declare global {
  var notes: Notes;
}

/** Installs the recorder before the page loads. It works in pages of any version. */
function takeNotes(): void {
  interface Message {
    readonly type?: string;
    readonly id?: number;
    readonly memory?: number;
    readonly request?: { readonly type?: string };
  }
  globalThis.notes = { sight: 0, verdict: 0, answer: 0, memory: 0, strokes: [], onStroke: () => undefined };
  let pressed = 0;
  let typed = 0;
  let found = 0;
  let asked = 0;
  let answered = 0;
  /** The evaluations without an answer. */
  const pending = new Set<number>();
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
    asked = 0;
    afterFrame(() => (typed = performance.now() - event.timeStamp));
  };
  addEventListener("keydown", press, { capture: true });
  /** Looks whether the page, which has handled an answer, has nothing to do for a keystroke. */
  const look = (): void => {
    if (pressed === 0 || asked === 0) return;
    const from = pressed;
    found ||= performance.now() - from;
    if (pending.size > 0) return;
    if (document.getElementById("result")?.getAttribute("aria-busy") === "true") {
      setTimeout(look, 1); // the page withholds an answer
      return;
    }
    const stroke = { asked, answered: answered - from, found };
    pressed = 0;
    afterFrame(() => {
      const painted = performance.now() - from;
      notes.strokes.push({ ...stroke, typed: typed || painted, painted });
      notes.onStroke();
    });
  };
  globalThis.Worker = class extends Worker {
    constructor(script: string | URL, options?: WorkerOptions) {
      super(script, options);
      this.addEventListener("message", ({ data }: MessageEvent<Message>) => {
        if (data.type !== "reply" || !pending.delete(data.id ?? 0)) return;
        notes.memory = data.memory ?? 0;
        answered = performance.now();
        notes.answer ||= answered;
        setTimeout(look);
      });
    }
    override postMessage(message: unknown, transfer?: unknown): void {
      const { type, id = 0, request } = message as Message;
      if (type === "ask" && request?.type === "show") {
        pending.add(id);
        asked ||= performance.now() - pressed;
      }
      super.postMessage(message, transfer as Transferable[]);
    }
  };
  const arrival = new MutationObserver(() => {
    if (!document.querySelector("[data-verdict]")) return;
    arrival.disconnect();
    afterFrame(() => (notes.sight = performance.now()));
  });
  arrival.observe(document, { childList: true, subtree: true });
  addEventListener("DOMContentLoaded", () => {
    const where = document.getElementById("where");
    if (!where) return;
    const arrived = (): void => {
      if (notes.verdict === 0 && where.textContent.includes("in this page")) {
        afterFrame(() => (notes.verdict ||= performance.now()));
      }
    };
    new MutationObserver(arrived).observe(where, { childList: true });
    arrived();
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

/** Runs a part of the benchmark on each side in turn, each with a server of its own, and prints its figures. */
async function compare(turns: number, measure: (url: string, side: Side, figures: Figures) => Promise<void>): Promise<void> {
  const servers = new Map<Side, Server>();
  for (const [side, path] of programs) servers.set(side, await startServer(path));
  const figures = new Figures();
  for (let turn = 0; turn < turns; turn++) {
    for (const [side, { url }] of servers) await measure(url, side, figures);
  }
  for (const server of servers.values()) await server.stop();
  figures.print();
}

test("visits", async () => {
  await compare(rounds, async (url, side, figures) => {
    const profile = new Profile();
    for (const visit of ["first", "second"]) {
      const context = await profile.start();
      await context.addInitScript(takeNotes);
      const page = await context.newPage();
      await page.goto(url);
      await page.waitForFunction(() => notes.verdict > 0 && notes.answer > 0, undefined, { timeout: 60_000 });
      const { sight, verdict, answer } = await page.evaluate(() => notes);
      figures.add(side, "default", `${visit} visit to the verdict in sight`, "ms", [sight]);
      figures.add(side, "default", `${visit} visit to the engine's own verdict`, "ms", [verdict]);
      figures.add(side, "default", `${visit} visit to the engine's first answer`, "ms", [answer]);
      // The reader looks at the result before the first keystroke.
      await page.waitForTimeout(12_000);
      await context.close();
      figures.add(side, "default", `code kept after the ${visit} visit`, "KiB", [profile.codeSize()]);
    }
    profile.remove();
  });
});

// What a keystroke waits for, soon after the visit and when the browser has optimized the engine.
for (const sample of samples.slice(0, 2)) {
  for (const place of [inObject, inDescription, inRule]) {
    test(`time line of a keystroke in ${place.name} of ${sample.name}`, { tag: "@timeline" }, async ({ browser }) => {
      await compare(1, async (url, side, figures) => {
        const page = await browser.newPage({ serviceWorkers: "block" });
        const playground = await openSample(page, url, sample);
        const start = Date.now();
        await goTo(playground, place, place.document === "crd" ? sample.crd : sample.object);
        for (const seconds of [1, 10, 60]) {
          await page.waitForTimeout(Math.max(0, start + seconds * 1000 - Date.now()));
          const times = await strokes(page, 7);
          const add = (what: string, time: (stroke: Stroke) => number): void =>
            figures.add(side, sample.name, `${place.name}, ${seconds} s after the result: ${what}`, "ms", times.map(time));
          add("character", ({ typed }) => typed);
          add("question", ({ asked }) => asked);
          add("answer", ({ answered }) => answered);
          add("page written", ({ found }) => found);
          add("result", ({ painted }) => painted);
        }
        await page.close();
      });
    });
  }
}

for (const sample of samples) {
  test(`keystrokes in ${sample.name}`, async ({ browser }) => {
    await compare(rounds, async (url, side, figures) => {
      const page = await browser.newPage({ serviceWorkers: "block" });
      const playground = await openSample(page, url, sample);
      for (const place of [inObject, inDescription, inRule]) {
        if (!(await goTo(playground, place, place.document === "crd" ? sample.crd : sample.object))) continue;
        const times = await strokes(page, sample.keystrokes);
        const add = (what: string, values: readonly number[]): void => figures.add(side, sample.name, `${place.name}: ${what}`, "ms", values);
        add("character", times.map(({ typed }) => typed));
        add("first findings", times.map(({ found }) => found));
        add("result", times.map(({ painted }) => painted));
        await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
        await type(page, 20, 120);
        await playground.settled();
        add("longest task", [longestTask(await browser.stopTracing())]);
      }
      await page.close();
    });
  });
}

async function openSample(page: Page, url: string, sample: Sample): Promise<Playground> {
  await page.addInitScript(takeNotes);
  const playground = new Playground(page);
  await playground.open(`${url}/`);
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.paste("crd", sample.crd);
  await playground.paste("object", sample.object);
  return playground;
}

/** Types without waiting for results, with pauses in ms. */
async function type(page: Page, count: number, pause: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await page.keyboard.press("abcdefghij"[i % 10] ?? "a");
    await page.waitForTimeout(pause);
  }
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

test("memory", async ({ browser }) => {
  const sample = samples[1] ?? samples[0];
  if (!sample) return;
  await compare(1, async (url, side, figures) => {
    const page = await browser.newPage({ serviceWorkers: "block" });
    const playground = await openSample(page, url, sample);
    for (const [place, text, count] of [[inDescription, sample.crd, 200], [inObject, sample.object, 2_000]] as const) {
      await goTo(playground, place, text);
      await type(page, count, 40);
      await playground.settled();
      const after = `after ${count} keystrokes in ${place.name}`;
      figures.add(side, sample.name, `engine ${after}`, "MiB", [(await page.evaluate(() => notes.memory)) / (1 << 20)]);
      figures.add(side, sample.name, `process ${after}`, "MiB", [await residentMemory(browser)]);
    }
    await page.close();
  });
});
