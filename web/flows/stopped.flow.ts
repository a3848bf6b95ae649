// Links whose evaluation exhausts the engine end in a sentence, and nothing is sent.

import { readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import type { Browser } from "@playwright/test";
import { expect, type Page, type Playground, firstVisit as test } from "./playground";
import { crd, object } from "./texts";

interface Documents {
  readonly crd: string;
  readonly object: string;
  readonly admission?: string;
}

const linkTo = (documents: Documents): string => `/#1=${deflateRawSync(JSON.stringify(documents)).toString("base64url")}`;

/** Creates a scenario with rules on a string of some characters and a list of 2,000 items. */
function scenarioWith(rules: readonly string[], characters: number): Documents {
  const validations = rules.map((rule) => `            - rule: "${rule}"\n`).join("");
  return {
    crd: crd.replace(/ {12}- rule:[^]*?message:.*\n/, validations)
      .replace("cronSpec: {type: string}", "cronSpec: {type: string, maxLength: 10000}\n              list: {type: array, maxItems: 3000, items: {type: integer}}"),
    object: `${object("3").trimEnd()}\n  cronSpec: ${"x".repeat(characters)}\n  list: [${Array.from({ length: 2000 }, (_, i) => i).join(",")}]\n`
      .replace(/ {2}cronSpec: [^x].*\n/, ""),
  };
}

/** The intermediate strings of this rule have up to 1.5 GiB. */
const bigString = scenarioWith(["self.cronSpec.replace('', self.cronSpec.replace('', self.cronSpec.substring(0,100))).size() >= 0"], 4000);
/** These rules stay within the cost limit of CEL, but need several seconds. */
const slowRules = scenarioWith(
  Array.from({ length: 20 }, (_, i) => `self.cronSpec.replace('', self.cronSpec.replace('', self.cronSpec.substring(0,${60 + i}))).size() >= 0`), 3000);

/** The intermediate strings of this policy have up to 1.5 GiB. */
const bigPolicy: Documents = {
  ...scenarioWith(["true"], 4000),
  admission: `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: big}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"]}
  validations:
  - expression: object.spec.cronSpec.replace('', object.spec.cronSpec.replace('', object.spec.cronSpec.substring(0,100))).size() >= 0
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: big}
spec: {policyName: big, validationActions: [Deny]}
`,
};

/** The result shows the object of 1 MB at each of 60 versions. */
const manyVersions: Documents = {
  crd: crd.replace(/ {2}- name: v1\n[^]*/, Array.from({ length: 60 }, (_, i) =>
    `  - {name: v${i + 1}, served: true, storage: ${i === 0}, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n`).join("")),
  object: `${object("3").trimEnd()}\n  padding: ${"x".repeat(1_000_000)}\n`,
};

/** Asserts that the headline says that there is no verdict, and that no panel has one. */
async function expectNoVerdict({ page }: Playground): Promise<void> {
  await expect(page.locator("[data-panel=brief]")).toHaveText("Not evaluated");
  await expect(page.locator(".brief .is-accepted, [data-verdict], #problems .problem")).toHaveCount(0);
  await expect(page.locator("[data-panel=outcome]")).toHaveText("There is no result.");
}

/** Lets the first evaluation of an object that contains a string never end. */
async function runAway(page: Page, text: string): Promise<void> {
  const runaway = `;(() => {
    let show;
    Object.defineProperty(globalThis, "crdlabShow", {
      set(value) { show = value; },
      get: () => (view, documents) => {
        if (documents.object?.includes("${text}")) {
          const count = new XMLHttpRequest(); count.open("GET", "/run-away", false); count.send();
          while (count.responseText === "on");
        }
        return show(view, documents);
      },
    });
  })();`;
  let isFirst = true;
  await page.route(/wasm_exec/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()) + runaway });
  });
  await page.route(/\/run-away$/, (route) => {
    const body = isFirst ? "on" : "off";
    isFirst = false;
    return route.fulfill({ body });
  });
}

/** Records the requests that send anything. */
function recordSent(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET" || request.postData() !== null) sent.push(`${request.method()} ${request.url()}`);
  });
  return sent;
}

/** Returns the largest resident memory that a tab has had, in MiB. */
async function largestTab(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const peaks = processInfo.filter(({ type }) => type === "renderer").map(({ id }) =>
    Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${id}/status`, "utf8"))?.[1]) / 1024);
  return Math.max(...peaks);
}

for (const [name, hostile, reason] of [
  ["memory", bigString, /needed more than 1 GiB of memory/],
  ["memory in a policy", bigPolicy, /needed more than 1 GiB of memory/],
  // The rules also allocate: on a fast machine, they reach the memory limit first.
  ["time", slowRules, /was stopped after \d+ s|needed more than 1 GiB of memory/],
] as const) {
  test(`a link that exhausts the ${name} ends in a sentence`, async ({ playground, browser }) => {
    const { page } = playground;
    const sent = recordSent(page);
    const start = Date.now();
    await page.goto(linkTo(hostile));
    await expect(page.locator("#notice")).toContainText(reason);
    test.info().annotations.push({ type: "seconds until the sentence", description: String((Date.now() - start) / 1000) });
    await expect(page.locator("#notice")).toContainText("The usual cause is a rule or a policy");
    await expect(page.locator("#notice")).toContainText("nothing was sent to the server");
    await expectNoVerdict(playground);
    await playground.settled();
    for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 390]] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      await page.screenshot({ path: `test-results/pictures/stopped-${name}-${scheme}-${width}.png` });
    }
    const memory = await largestTab(browser);
    test.info().annotations.push({ type: "MiB of the tab", description: String(Math.round(memory)) });
    expect(memory).toBeLessThanOrEqual(1536);

    await playground.showDocument("object");
    await playground.paste("object", hostile.object.replace(/(cronSpec: x{100})x+/, "$1"));
    await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
    await expect(page.locator("#notice")).toBeHidden();
    await expect(playground.where()).toHaveText(/in this page/);
    expect(sent).toEqual([]);
  });
}

test("a stopped evaluation leaves no verdict, and is repeated on request", async ({ playground }) => {
  const { page } = playground;
  await runAway(page, "run-away");
  const withoutRules = crd.replace(/ +x-kubernetes-validations:\n +- rule:.*\n(?: +message:.*\n)?/, "");
  expect(withoutRules).not.toContain("rule");
  await playground.open();
  await playground.paste("crd", withoutRules);
  await playground.paste("object", object("3"));
  await expect(page.locator("[data-panel=brief] .is-accepted")).toBeVisible();
  await expect(playground.where()).toHaveText(/in this page/);

  await playground.editor("object").getByText("my-cron").click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(" # run-away");
  const notice = page.locator("#notice");
  const again = page.getByRole("button", { name: "Try again" });
  await expect(notice).toContainText(/stopped after \d+ s\. There is no verdict\. The usual causes are large documents and a busy machine\./, { timeout: 90_000 });
  await expect(notice).not.toContainText("rule");
  await expectNoVerdict(playground);
  await page.screenshot({ path: "test-results/pictures/stopped-again.png" });

  await again.click();
  await expect(notice).toBeHidden();
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(page.locator("[data-panel=brief] .is-accepted")).toBeVisible();
  await expect(again).toBeHidden();
});

test("a stopped evaluation of the first example removes the verdict from the server", async ({ playground }) => {
  const { page } = playground;
  await runAway(page, "apiVersion");
  await page.goto("/");
  await expect(page.locator("[data-verdict]").first()).toBeVisible();
  await expect(page.locator("#notice")).toContainText("There is no verdict", { timeout: 90_000 });
  await expectNoVerdict(playground);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator("[data-verdict]").first()).toBeVisible();
  await expect(page.locator("[data-panel=brief]")).not.toHaveText("Not evaluated");
});

test("a link with a result of 60 MB ends in a sentence", { tag: "@nightly" }, async ({ playground, browser }) => {
  const { page } = playground;
  await page.goto(`${linkTo(manyVersions)}&panel=versions`);
  await expect(page.locator("#notice")).toContainText(/The result has \d+ MiB|The evaluation was stopped/);
  expect(await largestTab(browser)).toBeLessThanOrEqual(1536);
  await playground.showPanel("outcome");
  await playground.paste("object", object("3"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
});

test("a crash ends in a sentence after one restart, and the next evaluation works", async ({ playground }) => {
  const { page } = playground;
  const sent = recordSent(page);
  // The engine has no known crash, so the flow simulates one. The request that counts it is synchronous,
  // because the page ends the worker at once.
  const crash = `;(() => {
    let show;
    Object.defineProperty(globalThis, "crdlabShow", {
      set(value) { show = value; },
      get: () => (view, documents) => { if (documents.object?.includes("crash-me")) { const count = new XMLHttpRequest(); count.open("GET", "/crash", false); count.send(); throw new Error("crash"); } return show(view, documents); },
    });
  })();`;
  let crashes = 0;
  await page.route(/wasm_exec/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()) + crash });
  });
  await page.route(/\/crash$/, (route) => {
    crashes++;
    return route.fulfill({ body: "" });
  });
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.editor("object").getByText("my-cron").click();
  await page.keyboard.press("End");
  await page.keyboard.insertText(" # crash-me");
  await expect(page.locator("#notice")).toContainText("because the engine crashed");
  await playground.settled();
  expect(await playground.text("object")).toContain("my-cron # crash-me");
  expect(crashes).toBe(2);

  await playground.paste("object", object("3"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.where()).toHaveText(/in this page/);
  expect(sent).toEqual([]);
});
