import { expect, test } from "./playground";
import { crd, object } from "./texts";

const mistaken = object("0").replace("cronSpec", "timezone: UTC\n  cronSpec");

test("a rejected request shows each error once, with its hint and its fix, and kubectl's output on demand", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd);
  await page.locator("#validation").selectOption("Warn");
  await playground.paste("object", mistaken);
  await expect(page.locator("[data-panel=brief]")).toHaveText(/^\s*Rejected\s+422 Invalid\s+CronTab default\/my-cron · 1 error · 1 warning\s*$/);
  await expect(playground.problems()).toHaveText([/spec\.replicas 0 should be greater than or equal to 1/, /spec\.timezone unknown field/]);

  const first = playground.problems().first();
  const output = page.locator("#panel-outcome [data-verdict=object] .output");
  for (const size of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
    await page.setViewportSize(size);
    if (size.width < 600) await page.locator("[data-jump=problems]").click();
    await expect(first).toBeInViewport({ ratio: 1 });
    await expect(first.getByRole("button", { name: "Set replicas: 1" })).toBeInViewport({ ratio: 1 });
    await expect(output).toBeHidden();
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText("Output of kubectl").click();
  await expect(output).toContainText('The CronTab "my-cron" is invalid: spec.replicas: Invalid value: 0');
  await first.getByRole("button", { name: "Set replicas: 1" }).click();
  await expect(page.locator("[data-panel=brief]")).toHaveText(/Accepted\s+CronTab default\/my-cron · 1 warning/);
});

test("the API server's note that it skipped the rules is no error", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd);
  await playground.paste("object", object("many"));
  await expect(page.locator("[data-panel=brief]")).toHaveText(/Rejected\s+422 Invalid\s+CronTab default\/my-cron · 1 error · 1 note\s*$/);
  await expect(playground.problems()).toHaveText([/spec\.replicas "string" must be of type integer/, /some validation rules were not checked/]);
  await expect(page.locator(".stage", { hasText: "rules" })).toHaveClass(/is-skipped/);
});

test("a stage that looks like a button leads to its first finding, and fingers hit it", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd);
  await playground.paste("object", object("many"));
  const pills = page.locator(".stage").filter({ has: page.locator("button") });
  await expect(pills.first()).toHaveClass(/is-(changed|fail|error|skipped)/);
  await playground.showDocument("crd");
  await page.locator(".stage.is-fail button").first().click();
  await expect(page.locator("#tab-object")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator("[data-editor=object] .cm-activeLine")).toContainText("replicas: many");
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setTouchEmulationEnabled", { enabled: true });
  const low = async () => (await page.locator(".fix:visible, .stage-pill:visible").evaluateAll((buttons) => buttons.filter((button) => button.getBoundingClientRect().height < 44))).length;
  await expect.poll(low).toBe(0);
  await client.send("Emulation.setTouchEmulationEnabled", { enabled: false });
  await client.detach();
});

test("stages without effect are shown on demand, and an unfolded problem is in sight", async ({ playground }) => {
  const { page } = playground;
  await page.setViewportSize({ width: 1280, height: 800 });
  await playground.paste("crd", crd.replace("self.replicas <= 5", "self.replicaz <= 5"));
  await playground.paste("object", object("3"));
  await expect(playground.problems().first()).toHaveText(/does not compile: undefined field 'replicaz'\s*\| self\.replicaz <= 5 \|\| has\(self\.image\)\s*\| \.\.\.\.\^/);
  await playground.problems().first().locator("summary").first().click();
  await expect(page.locator("#problems .about-error")).toBeInViewport({ ratio: 1 });

  await playground.paste("crd", crd);
  await expect(page.locator(".stage:visible")).toHaveCount(0);
  await page.getByText("12 stages").click();
  await expect(page.locator(".stage:visible")).toHaveCount(12);
});

test("a rule that refuses a change shows the existing value and leads to it", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd.replace("cronSpec: {type: string}", 'cronSpec: {type: string, x-kubernetes-validations: [{rule: self == oldSelf, message: cannot change}]}'));
  await playground.paste("oldObject", object("1"));
  await playground.paste("object", object("1").replace("*/5", "*/9"));
  const existing = playground.problems().getByRole("button", { name: 'Existing value: "* * * * */5"' });
  await existing.click();
  await expect(page.locator("#tab-oldObject")).toHaveAttribute("aria-selected", "true");
});

test("the owners of a stored object are shown, and a conflict leads to them", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd);
  await playground.paste("object", object("1"));
  const replicas = page.locator("#panel-outcome .yaml-line", { hasText: "replicas: 1" }).locator(".owner");
  await expect(replicas).toBeHidden();
  await page.locator(".owners > summary").click();
  await expect(replicas).toHaveText("kubectl-create");

  await playground.paste("oldObject", object("1").replace("  name: my-cron", `  name: my-cron
  managedFields:
  - {manager: human, operation: Update, apiVersion: stable.example.com/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}}}}`));
  await playground.paste("object", object("2"));
  await page.locator("#operation").selectOption("apply");
  const cause = playground.problems().filter({ hasText: "conflict with" });
  await expect(cause).toContainText('conflict with "human" using stable.example.com/v1');
  await cause.getByRole("button", { name: "The owners are in metadata.managedFields" }).click();
  await expect(page.locator("#tab-oldObject")).toHaveAttribute("aria-selected", "true");
});

test("a value that the request does not change says that it was kept", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd.replace("    storage: true\n", "    storage: true\n    subresources: {status: {}}\n"));
  await playground.paste("oldObject", object("1"));
  await playground.paste("object", object("3"));
  await page.locator("#operation").selectOption("updateStatus");
  await expect(page.locator(".yaml-line.is-replaced")).toHaveText(/replicas: 1\s+kept from the existing object/);
  await expect(page.locator("[data-panel=brief]")).toHaveText(/Accepted\s+CronTab default\/my-cron · 1 note/);
  await expect(page.locator(".stage.is-changed")).toHaveText(/prepare.* · 1 note/s);
});

test("an object of another kind does not reject the CRD", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd);
  await playground.paste("object", object("1").replace("CronTab", "Backup"));
  await expect(page.locator("[data-panel=brief]")).toHaveText(/No CRD for Backup\s+Backup my-cron · 1 error/);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "unknown");
  await expect(page.locator("[data-panel=announcement]")).toHaveText("CRD accepted. Backup my-cron has no CRD here, 1 error.");
});

test("nothing of a former text stays when a document is emptied", async ({ playground }) => {
  const { page } = playground;
  await playground.editor("crd").getByText("x-kubernetes-validations").click();
  // The hint before it also speaks of rules.
  await expect(page.locator("[data-explain=crd]")).toHaveText(/^spec\s*Object\s*self\.replicas/);
  await playground.editor("object").getByText("maxReplicas").click();
  await expect(page.locator("[data-explain=object]")).toHaveText(/spec\.maxReplicas/);
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await playground.settled();
  await expect(page.locator("[data-explain=crd]")).toHaveText(/^Place the caret on a field/);
  await expect(page.locator("[data-explain=object]")).toHaveText("");
  await expect(page.locator("#example-note")).toBeHidden();
  await expect(page.locator("[data-panel=brief]")).toHaveText(/^\s*CRD accepted\s*$/);

  await page.getByRole("button", { name: "Insert a sample" }).click();
  await expect(page.locator("[data-panel=brief]")).toHaveText(/^\s*Accepted\s+CronTab default\/crontab-sample\s*$/);
});

test("an indented start of a document is one problem with one fix", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", `  ${crd}`);
  await expect(playground.problems()).toHaveCount(1);
  await page.locator("#problems").getByRole("button", { name: "Align with kind" }).click();
  await expect(page.locator("[data-panel=brief]")).toHaveText(/CRD accepted/);
  expect(await playground.text("crd")).toBe(crd);

  // The stages with errors that follow from it have no count.
  await playground.paste("object", object("1").replace(/^(.*\n)(.*\n)/, "  $1  $2"));
  await expect(playground.problems()).toHaveCount(1);
  await expect(page.locator(".stage.is-fail > :not(.visually-hidden)")).toHaveText(["validate", "rules"]);
});

test("an applied CRD keeps what others own, and a conflict leads to the previous CRD", async ({ playground }) => {
  const { page } = playground;
  const managed = (fields: string): string => `  managedFields:
  - {manager: installer, operation: Update, apiVersion: apiextensions.k8s.io/v1, fieldsType: FieldsV1, fieldsV1: ${fields}}
`;
  const old = crd.replace("spec:\n", `${managed('{"f:metadata": {"f:labels": {"f:team": {}}}, "f:spec": {"f:versions": {}}}')}  labels: {team: a}\nspec:\n`);
  await playground.paste("oldCrd", old);
  await playground.paste("crd", crd.replace("cronSpec: {type: string}", "cronSpec: {type: string, minLength: 1}"));
  await page.locator("#crd-operation").selectOption({ value: "apply" });
  const cause = playground.problems().filter({ hasText: "conflict with" });
  await expect(cause).toContainText('conflict with "installer" using apiextensions.k8s.io/v1');
  await cause.getByRole("button", { name: "The owners are in metadata.managedFields" }).click();
  await expect(page.locator("#tab-oldCrd")).toHaveAttribute("aria-selected", "true");

  await page.locator("#crd-force").check();
  await expect(page.locator("[data-panel=brief]")).toHaveText(/CRD accepted\s+1 note/);
  await expect(playground.problems()).toHaveText(/metadata\.labels\s*apply keeps the existing value/);
});

test("the part of a rule that fails is marked in the CRD", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd.replace("self.replicas <= 5 || has(self.image)", "self.image.startsWith('a')"));
  await playground.paste("object", object("3"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await playground.showDocument("crd");
  await expect(page.locator("[data-editor=crd] .cm-lintRange-error")).toHaveText("image");
  await playground.paste("object", `${object("3")}  image: a\n`);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(page.locator("[data-editor=crd] .cm-lintRange-error")).toHaveCount(0);
});
