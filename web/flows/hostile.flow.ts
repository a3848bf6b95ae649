import { deflateRawSync } from "node:zlib";
import { expect, panels, type Playground, test } from "./playground";
import { crd, hostileCRD, hostileObject, markup, object } from "./texts";

async function expectInert(playground: Playground): Promise<void> {
  for (const panel of panels) {
    await playground.showPanel(panel);
    await expect(playground.page.locator("#result img, #result script, #problems img, #problems script")).toHaveCount(0);
  }
  await expect(playground.page.locator("[onerror], [onload], [href^='javascript:' i]")).toHaveCount(0);
  expect(await playground.page.evaluate(() => "pwned" in window)).toBe(false);
}

test("markup in the documents stays text", async ({ playground }) => {
  await playground.open();
  await playground.paste("crd", hostileCRD);
  for (const replicas of ["3", "7", "15"]) {
    await playground.paste("object", hostileObject(replicas));
    await expectInert(playground);
  }
  await playground.showPanel("outcome");
  await expect(playground.page.locator("#result")).toContainText("<img src=x");
  await playground.paste("crd", hostileCRD.replace("type: object", 'type: "<img src=x onerror=window.pwned=1>"'));
  await expectInert(playground);
});

interface Example {
  readonly id: string;
  readonly scenario: Readonly<Record<string, string | boolean>>;
}

const documents = ["crd", "oldCrd", "object", "oldObject", "conversion", "admission"];

/** Fields with values that Kubernetes fixes: other values would end the evaluation early. */
const fixed = /^(apiVersion|kind|type|name|group|plural|singular|scope|served|storage|strategy|versions?|path|from|to|namespace|operations|resources|x-kubernetes-.*|required|paramKind|policyName)$/;

/** Replaces every value with markup, except in the given fields. */
function withMarkup(text: string, stays: RegExp): string {
  const field = /^(\s*(?:- )*)([\w./$-]+|"[^"]*"):( +[^\s|>&*[{#].*)$/;
  const poison = (line: string): string => {
    const [, start, name, value] = field.exec(line) ?? [];
    return name === undefined || stays.test(name) ? line : `${start}${name}: ${/^ +\d+$/.test(value ?? "") ? value : JSON.stringify(markup)}`;
  };
  return `# ${markup}\n${text.split("\n").map(poison).join("\n")}`;
}

const never = /^$/;
const ways: Record<string, (scenario: Example["scenario"]) => object> = {
  "in the fields for words": (scenario) => mapDocuments(scenario, (text) => withMarkup(text, fixed)),
  "in every field": (scenario) => ({ ...mapDocuments(scenario, (text) => withMarkup(text, never)), fieldManager: markup, operation: "apply" }),
  "as the documents": (scenario) => mapDocuments(scenario, () => markup),
};

function mapDocuments(scenario: Example["scenario"], change: (text: string) => string): object {
  return Object.fromEntries(Object.entries(scenario).map(([name, value]) =>
    [name, typeof value === "string" && documents.includes(name) ? change(value) : value]));
}

/** Encodes any JSON value into a link, as the page does with scenarios. */
const linkTo = (scenario: object): string => `/#1=${deflateRawSync(JSON.stringify(scenario)).toString("base64url")}`;

for (const [where, poison] of Object.entries(ways)) {
  test(`a shared link with script ${where} executes nothing`, { tag: "@nightly" }, async ({ playground, request }) => {
    test.setTimeout(240_000);
    const { page } = playground;
    let asked = "";
    page.on("dialog", (dialog) => {
      asked = dialog.message();
      void dialog.dismiss();
    });
    const gallery = (await (await request.get("/examples.json")).json()) as readonly Example[];
    const one = documents.map((name) => gallery.find(({ scenario }) => scenario[name]));
    const more = gallery.filter(({ id }) => /^(crontab-rules|apply-conflict|upgrade-v1beta1|scale-subresource)$/.test(id));
    for (const [i, example] of [...new Set([...one, ...more])].entries()) {
      if (!example) throw new Error("a document is in no example");
      const scenario = poison(example.scenario);
      const answer = await request.post("/api/v1/share", { data: scenario });
      expect(answer.status(), await answer.text()).toBe(201);
      const { id } = (await answer.json()) as { id: string };
      const link = i % 2 === 0 ? `/s/${id}` : linkTo(scenario);
      await test.step(`${example.id} ${link.slice(0, 4)}`, async () => {
        await page.goto("about:blank");
        await playground.open(link);
        await expectInert(playground);
      });
      await page.goto(`/embed/${id}`);
      await expect(page.locator("img, script, iframe")).toHaveCount(0);
      expect(await page.evaluate(() => "pwned" in window)).toBe(false);
    }
    expect(asked).toBe("");
  });
}

test("a link whose options are script executes nothing", async ({ playground }) => {
  const options = { operation: markup, fieldManager: markup, fieldValidation: markup, now: markup, kubernetes: markup, force: markup };
  await playground.open(linkTo({ crd: hostileCRD, object: hostileObject("15"), ...options }));
  await expectInert(playground);
});

test("a link that is script itself executes nothing", async ({ playground }) => {
  await playground.open(`/#1=${encodeURIComponent(markup)}&panel=${encodeURIComponent(markup)}&example=${encodeURIComponent(markup)}`);
  await expectInert(playground);
});

const broken: Record<string, string> = {
  "broken YAML": "spec: [",
  "binary junk": "\u0000\u0001\ufffd\u202e\u2028".repeat(50),
  "an alias bomb": "a: &a [x]\n" + Array.from({ length: 30 }, (_, i) => `b${i}: &b${i} [*${i ? `b${i - 1}` : "a"}, *${i ? `b${i - 1}` : "a"}]`).join("\n"),
  "10,000 levels": "[".repeat(10_000) + "]".repeat(10_000),
  "5 MB": "x: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(83_000),
  "a Deployment": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n",
};

test("documents of other kinds lead to findings, and nothing breaks", { tag: "@nightly" }, async ({ playground }) => {
  test.setTimeout(240_000);
  await playground.open();
  for (const [name, text] of Object.entries(broken)) {
    await test.step(name, async () => {
      await playground.paste("crd", crd);
      await playground.paste("object", text);
      await playground.showPanel("outcome");
      await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
      await expect(playground.problems().first()).toBeVisible();

      await playground.paste("object", object("3"));
      await playground.paste("crd", text);
      await expect(playground.problems().first()).toBeVisible();
      for (const panel of panels) {
        await playground.showPanel(panel);
        await expect(playground.page.locator(`[data-panel=${panel}]`)).not.toBeEmpty();
      }
    });
  }
  await test.step("nothing", async () => {
    await playground.paste("crd", "");
    await playground.paste("object", "");
    for (const panel of panels) {
      await playground.showPanel(panel);
      await expect(playground.page.locator(`[data-panel=${panel}]`)).not.toBeEmpty();
    }
  });
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await playground.showPanel("outcome");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.where()).toHaveText(/in this page/);
});
