import { expect, Playground, test } from "./playground";
import { crd, object } from "./texts";

test("an old object turns the request into an update, and closing it into a create", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await expect(playground.verdict("object")).toContainText("created");
  await expect(page.locator("#tab-oldObject")).toBeHidden();

  await playground.showDocument("oldObject");
  await page.getByRole("button", { name: "Copy from Object" }).click();
  await expect(playground.verdict("object")).toContainText("replaced");
  await expect(page.locator("#operation option").first()).toHaveText("auto: update");

  await page.locator("[data-close=oldObject]").click();
  await expect(page.locator("#tab-oldObject")).toBeHidden();
  await expect(playground.verdict("object")).toContainText("created");
  await expect(page.locator("#closed-note")).toHaveText("Existing object is closed. Undo");
  await page.locator("#closed-undo").click();
  await expect(playground.verdict("object")).toContainText("replaced");
  await expect(page.locator("#closed-note")).toBeHidden();

  await playground.editor("oldObject").focus();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await expect(playground.verdict("object")).toContainText("created");
  await page.locator("#tab-oldObject").focus();
  await page.keyboard.press("Delete");
  await expect(page.locator("#tab-oldObject")).toBeHidden();
  await expect(page.locator("#tab-object")).toBeFocused();
});

test("a problem in an added document has its count and its marker, and leads there", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("conversion-host-port");
  await playground.paste("conversion", "kind: APIConversion\nspec:\n  conversions:\n  - from: v1beta1\n    to: v1\n    rules:\n    - field: .hostPort\n      destination: .host\n      transformation: self.nope(\n");
  await expect(page.locator("#tab-conversion .count.is-error")).toHaveText(/^\d/);
  await expect(page.locator("[data-editor=conversion] .cm-lintRange-error").first()).toBeVisible();
  await playground.showDocument("crd");
  await page.locator("#problems [data-document=conversion]").first().click();
  await expect(page.locator("#tab-conversion")).toHaveAttribute("aria-selected", "true");
});

test("server-side apply conflicts until it is forced", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("apply-conflict");
  await expect(playground.verdict("object")).toContainText('conflict with "autoscaler"');
  await page.locator("#force").check();
  await expect(playground.verdict("object")).toContainText("serverside-applied");
  await page.locator("#field-manager").fill("me");
  await playground.settled();
  await expect(page.locator("#panel-outcome .yaml-line", { hasText: "replicas: 5" }).locator(".owner")).toHaveText("me");
  await page.locator("#operation").selectOption("create");
  await expect(page.locator("#apply-options")).toBeHidden();
  await expect(playground.verdict("object")).toContainText("already exists");
});

test("each request that writes has a field manager, which is kubectl's unless one is entered", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("apply-conflict");
  const manager = page.locator("#field-manager");
  const shown: Record<string, string | null> = {};
  for (const operation of ["", "create", "update", "updateStatus", "apply", "applyStatus", "scale", "delete"]) {
    await page.locator("#operation").selectOption(operation);
    shown[operation] = (await manager.isVisible()) ? await manager.getAttribute("placeholder") : null;
  }
  expect(shown).toEqual({
    "": "kubectl-replace", create: "kubectl-create", update: "kubectl-replace", updateStatus: "kubectl-replace", apply: "kubectl", applyStatus: "kubectl", scale: "kubectl", delete: null,
  });
  await page.locator("#operation").selectOption("update");
  await manager.fill("me");
  await playground.settled();
  await expect(page.locator("#panel-outcome .yaml-line", { hasText: "replicas: 5" }).locator(".owner")).toHaveText("me");
});

test("a rule names the release that it needs, and the CRD is judged as an older one", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("rule-libraries");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  await playground.showPanel("rules");
  const needs = page.locator("[data-panel=rules] .rule-needs").filter({ hasText: "isIP" });
  await expect(needs).toContainText("Requires Kubernetes ≥ 1.31");
  await needs.getByRole("button", { name: "Try with 1.30" }).click();
  await expect(page.locator("#kubernetes")).toHaveValue("1.30");
  await playground.showPanel("outcome");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "rejected");
  await expect(page.locator("[data-panel=library]")).toContainText("approximating 1.30");
  await page.locator("#kubernetes").selectOption("");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
});

test("a delete removes what no finalizer holds, and marks the rest", async ({ playground }) => {
  await playground.openExample("finalizer-delete");
  await expect(playground.page.locator("#operation")).toHaveValue("delete");
  await expect(playground.verdict("object").first()).toContainText("Marked as deleted");
  await expect(playground.verdict("object").first()).toContainText("stable.example.com/finalizer");
  await expect(playground.verdict("object").last()).toContainText("Deleted");
  await playground.page.locator("#operation").selectOption("update");
  await expect(playground.verdict("object").first()).toContainText("replaced");
});

test("scaling asks for replicas, which the schema of the object bounds", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("scale-replicas");
  await expect(page.locator("#replicas")).toHaveValue("5");
  await expect(playground.verdict("object").first()).toContainText("scaled");
  await page.locator("#replicas").fill("11");
  await expect(playground.verdict("object").first()).toContainText("less than or equal to 10");
  await page.locator("#operation").selectOption("update");
  await expect(page.locator("#scale-options")).toBeHidden();
});

test("policies receive the user and the groups", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("admission-user");
  await expect(playground.verdict("object")).toContainText("jane is not joe");
  await page.locator("#user").fill("joe");
  await expect(playground.verdict("object")).not.toContainText("is not joe");
  await expect(playground.verdict("object")).toContainText("may not create pods");
  await page.locator("#groups").fill("cooks, kubeadm:cluster-admins");
  await expect(playground.verdict("object")).not.toContainText("may not create pods");
});

test("a link and a reload keep every document and option", async ({ playground, browser }) => {
  const { page } = playground;
  await playground.openExample("apply-conflict");
  await page.locator("#force").check();
  await playground.settled();
  const link = await playground.shareLink();
  await page.keyboard.press("Escape");

  const context = await browser.newContext();
  const other = new Playground(await context.newPage());
  await other.open(link);
  await expect(other.page.locator("#operation")).toHaveValue("apply");
  await expect(other.page.locator("#force")).toBeChecked();
  await expect(other.verdict("object")).toContainText("serverside-applied");
  expect(await other.text("oldObject")).toContain("manager: autoscaler");
  await context.close();

  await playground.showDocument("admission");
  await playground.stored('"document":"admission"');
  await page.goto("/");
  await playground.settled();
  await expect(page.locator("#tab-admission")).toHaveAttribute("aria-selected", "true");
  await expect(playground.verdict("object")).toContainText("serverside-applied");
});

test("published schemas load with their panel", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.showPanel("schema");
  const panel = page.locator("#panel-schema");
  await expect(panel).toContainText("kubectl explain crontabs");
  await expect(panel).toContainText("FIELDS:");
  await panel.getByText("OpenAPI v3 of CronTab").click();
  await expect(panel).toContainText('"x-kubernetes-group-version-kind"');
  await panel.getByText("OpenAPI v2", { exact: false }).last().click();
  await expect(panel.locator(".is-json").last()).toBeVisible();
});

test("the round trip and the reviews of a conversion are shown", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("conversion-pizza");
  await playground.showPanel("versions");
  const panel = page.locator("#panel-versions");
  await expect(panel.getByRole("table", { name: /that each version lacks/ })).toContainText("spec.toppings[1]");
  await panel.getByText("v1alpha1 → v1beta1").click();
  await expect(panel.locator(".is-json pre").first()).toContainText('"desiredAPIVersion"');
});

test("a trace leads to its place in the rule", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("trace");
  await playground.showPanel("rules");
  const step = page.locator("#panel-rules .trace li", { hasText: "self.replicas <= self.maxReplicas" }).first();
  await expect(step).toContainText("= false");
  await step.locator("button").click();
  await expect(page.locator("#tab-crd")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("[data-editor=crd] .cm-activeLine")).toContainText("self.minReplicas <= self.replicas");
});

test("the gallery is searched and used by the keyboard", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.keyboard.press("Alt+Shift+E");
  await expect(page.locator("#gallery-search")).toBeFocused();
  await page.keyboard.type("pizza conversion mozzarellas");
  await expect(page.locator("[data-example]:visible").first()).toContainText("Pizza: conversion webhook");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#example=conversion-pizza/);
  await expect(page.locator("#example-note")).toContainText("mozzarella");
  await page.locator("#gallery-open").click();
  await page.locator("#gallery-search").fill("nothing has these words");
  await expect(page.locator("#gallery-none")).toBeVisible();
});

test("the gallery finds examples by keys, messages and misspelled words, and starts at the top", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.locator("#gallery-open").click();
  const list = page.locator(".gallery-list");
  const found = page.locator("[data-example]:visible strong");
  for (const [query, first] of [
    ["printer", "Columns of kubectl get"], ["prniter colums", "Columns of kubectl get"], ["read-only", "Immutable field"], ["NonStructural", ""],
    ["field selector", "Selectable fields"], ["legacy", ""], ["jsonPath", ""],
  ] as const) {
    await list.evaluate((target) => target.scrollTo({ top: 10_000 }));
    await page.locator("#gallery-search").fill(query);
    await expect(found.first()).toContainText(first);
    expect(await list.evaluate(({ scrollTop }) => scrollTop)).toBe(0);
  }
});

// The first examples that the gallery lists for what users type or paste.
const searches: readonly (readonly [query: string, ids: readonly string[]])[] = [
  ["immutability", ["transition-immutable"]],
  ["immutable", ["transition-immutable", "transition-rule", "transition-set-and-unset"]],
  ["ssa conflict", ["apply-conflict"]],
  ["expensive", ["rule-filter", "cost-refused", "cost-accepted"]],
  ["required together", ["rule-map-has-key", "rule-keyed-by-names"]],
  ["one of", ["union-fields", "durations", "union-go"]],
  ["union", ["union-fields", "union-go", "int-or-string"]],
  ["validate dns name", ["format-names"]],
  ["enum", ["required-enum", "conditions", "transition-rule"]],
  ["default value", ["crontab-defaulting", "preserve-json", "nullable"]],
  ["required field", ["required-enum", "at-pruning", "crontab-stored"]],
  ["conversion webhook", ["conversion-pizza", "conversion-response", "conversion-renames"]],
  ["cel cost exceeds budget", ["cost-refused"]],
  ["readonly", ["transition-immutable", "schema-forbidden-fields"]],
  ["monotonic", ["transition-counter"]],
  ["pruning", ["crontab-pruning", "crontab-stored", "at-pruning"]],
  ["convert", ["conversion-pizza", "conversion-pizza-back", "pizza-without-conversion"]],
  ["stuck terminating", ["finalizer", "finalizer-delete", "finalizer-delete-again"]],
  ["HPA", ["scale-subresource", "scale-replicas"]],
  ['The CronTab "my-cron" is invalid: spec.replicas: Invalid value: 15: spec.replicas in body should be less than or equal to 10', ["crontab-validation"]],
  ['Apply failed with 1 conflict: conflict with "autoscaler": .spec.replicas', ["apply-conflict"]],
  ["estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength)", ["cost-refused", "cost-nested-list", "rule-filter"]],
  ['compilation failed: ERROR: <input>:1:6: found no matching overload for \'_==_\' applied to \'(int, bool)\'', ["compile-no-overload"]],
  ['error: unknown field "spec.privileged"', ["at-pruning", "crontab-pruning", "nightly-job-kept"]],
  ["must validate one and only one schema (oneOf). Found 2 valid alternatives", ["union-fields", "nightly-job-validation"]],
];

test("the gallery finds examples by other words for their subject and by a pasted message", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.locator("#gallery-open").click();
  await page.locator("#gallery-search").fill("printer");
  await expect(page.locator("[data-example]:visible").first()).toContainText("Columns of kubectl get");
  const found: [string, string[]][] = [];
  for (const [query] of searches) {
    await page.locator("#gallery-search").fill(query);
    const ids = await page.locator("[data-example]:visible").evaluateAll((entries) => entries.map((entry) => entry.getAttribute("data-example") ?? ""));
    found.push([query, ids.slice(0, 3)]);
  }
  expect(found).toEqual(searches);
});

test("a dropped file fills the visible document", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.showDocument("crd");
  await page.locator("[data-editor=crd]").evaluate((target, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "crd.yaml"));
    const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true, composed: true });
    target.shadowRoot?.querySelector(".cm-content")?.dispatchEvent(drop);
  }, crd);
  await expect.poll(() => playground.text("crd")).toContain("many replicas need an image");
  await page.locator("#open-files").setInputFiles([
    { name: "a.yaml", mimeType: "text/yaml", buffer: Buffer.from(object("15")) },
    { name: "b.yaml", mimeType: "text/yaml", buffer: Buffer.from(crd) },
  ]);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  expect(await playground.text("object")).toContain("replicas: 15");
  await expect(page.locator("#example-note")).toBeHidden();
});

test("the scenario is copied as Markdown and downloaded", async ({ playground }) => {
  const { page } = playground;
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await playground.openExample("apply-conflict");
  await page.locator("#share-open").click();
  await page.locator("#share-report").click();
  await expect(page.locator("#share-copied")).toHaveText("Copied.");
  const markdown = await page.evaluate(() => navigator.clipboard.readText());
  expect(markdown).toContain("```yaml\napiVersion: apiextensions.k8s.io/v1");
  expect(markdown).toContain('conflict with "autoscaler"');
  expect(markdown).toContain("[Open in crdlab](http");
  const download = page.waitForEvent("download");
  await page.locator("#share-download").click();
  expect((await download).suggestedFilename()).toBe("crdlab.zip");
  await page.keyboard.press("Escape");

  await playground.choose("crontab-defaulting");
  await playground.showPanel("kubectl");
  await page.locator("#panel-kubectl .copy").first().click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("NAME");
});

test("on a narrow screen the verdict comes before the editors", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 390, height: 844 });
  await playground.open();
  expect(await page.evaluate(() => scrollY)).toBe(0);
  const brief = page.locator("[data-panel=brief]");
  await expect(brief).toContainText("Accepted");
  await expect(brief).toContainText("1 warning");
  await expect(brief).toBeInViewport();
  await page.setViewportSize({ width: 1200, height: 844 });
  const [documents, verdict] = [await page.locator("#documents").boundingBox(), await brief.boundingBox()];
  expect(verdict?.x).toBeGreaterThanOrEqual((documents?.x ?? 0) + (documents?.width ?? 0));
});

test("an own CRD begins a scenario of its own, and keeps its options when it is pasted again", async ({ playground }) => {
  const { page } = playground;
  await expect(page.locator("#validation")).toHaveValue("Warn");
  const mistaken = crd.replace("type: object\n        properties", "type: object\n        requird: [spec]\n        properties");
  await playground.paste("crd", mistaken);
  await expect(page.locator("#validation")).toHaveValue("Strict");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "rejected");
  expect(await playground.text("object")).toBe("");

  await page.locator("#validation").selectOption("Ignore");
  await playground.paste("object", object("3"));
  await playground.paste("crd", crd);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(page.locator("#validation")).toHaveValue("Ignore");
  expect(await playground.text("object")).toBe(object("3"));

  await playground.paste("crd", crd.replaceAll("crontabs", "cronjobs").replace("kind: CronTab,", "kind: CronJob,"));
  await expect(page.locator("#validation")).toHaveValue("Strict");
  expect(await playground.text("object")).toBe(object("3"));
});
