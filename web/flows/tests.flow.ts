import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, type Page, type Playground, firstVisit, test } from "./playground";

const program = fileURLToPath(new URL("../../bin/crdlab", import.meta.url));

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: crontabs, kind: CronTab}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            x-kubernetes-validations:
            - rule: self.name == oldSelf.name
              message: name is immutable
            - rule: self.replicas < 100
              message: too many replicas
            properties:
              name: {type: string}
              replicas: {type: integer, default: 1, minimum: 1}
`;

const objects = `apiVersion: example.com/v1
kind: CronTab
metadata:
  name: a
spec: # stored: {name: first, replicas: 1}
  name: first
---
# crdlab: update
apiVersion: example.com/v1
kind: CronTab
metadata:
  name: a
spec: # want "name is mutable"
  name: second
---
apiVersion: example.com/v1
kind: CronTab
metadata:
  name: b
spec:
  replicas: 0 # want "should be greater than or equal to 1"
`;

const file = `${crd}---\n${objects}`;

/** Opens a test file as a user does, with the picker. */
async function openFile({ page }: Playground, text: string): Promise<void> {
  await page.locator("#open-files").setInputFiles([{ name: "test.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) }]);
}

/** Exports the documents as a test, and returns the downloaded file. */
async function exported(page: Page): Promise<string> {
  await page.locator("#share-open").click();
  const download = page.waitForEvent("download");
  await page.locator("#share-test").click();
  const path = await (await download).path();
  await expect(page.locator("#share-copied")).toHaveText("Downloaded as test.yaml. Run it with crdlab test test.yaml.");
  return readFile(path, "utf8");
}

/** Runs the command on a test file; rejects if the test fails. */
async function runCommand(text: string, path: string): Promise<string> {
  await writeFile(path, text);
  return (await promisify(execFile)(program, ["test", "--cover", path])).stdout;
}

test("a test file shows the expectations that are met, and leads to the others", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await page.locator("#tab-tests").click();
  await expect(page.locator("#tests-form")).toContainText("expects an error or a warning in this line");
  await expect(page.locator("#tests-summary")).toBeHidden();
  await openFile(playground, file);
  await expect(page.locator("#tests-form")).toBeHidden();
  const summary = page.locator("#tests-summary");
  await expect(summary).toHaveAttribute("title", "2 of 3 expectations met, 1 unexpected finding");
  await summary.click();
  const list = page.locator("#tests");
  await expect(list.locator("h3")).toHaveText([/CustomResourceDefinition.*create/, /CronTab a\s*create/, /CronTab a\s*update/, /CronTab b\s*create/, /^0 of 2 rules/]);
  await expect(list.locator("li", { hasText: "unexpected" })).toContainText("spec: Invalid value: name is immutable");
  const unmet = list.locator("li", { hasText: "not met" });
  await expect(unmet).toContainText('no finding on Kubernetes 1.37 in line 13 matches "name is mutable"');
  await expect(list.locator("li", { hasText: "oldSelf" })).toContainText("failed 1×");
  await unmet.getByRole("button").click();
  await expect(page.locator("[data-editor=object] .cm-activeLine")).toHaveText('spec: # want "name is mutable"');
  await expect(page.locator("[data-editor=object] .cm-lintRange-warning", { hasText: "mutable" })).toBeVisible();

  await page.keyboard.press("End");
  for (let i = 0; i < 'mutable"'.length; i++) await page.keyboard.press("Backspace");
  await page.keyboard.type('immutable"');
  await expect(summary).toHaveAttribute("title", "3 of 3 expectations met");
  await expect(list.locator("li", { hasText: "not met" })).toHaveCount(0);

  await playground.paste("object", 'apiVersion: example.com/v1\nkind: CronTab\nmetadata:\n  name: a # want "x"\n');
  await expect(list.locator("li", { hasText: "self.replicas" })).toContainText("v1: was never evaluated, because no object has a value to which it applies");

  await playground.paste("object", "apiVersion: example.com/v1\nkind: CronTab\nmetadata:\n  name: a\n");
  await expect(summary).toBeHidden();
});

test("the editor completes and describes an expectation", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", "apiVersion: example.com/v1\nkind: CronTab\nmetadata:\n  name: a\nspec:\n  replicas: 0");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type(" # want ");
  const option = page.locator(".cm-tooltip-autocomplete li").first();
  await expect(option).toContainText("the errors here");
  await option.click();
  await expect(page.locator("#tests-summary")).toHaveAttribute("title", "1 of 1 expectation met");
  await playground.editor("object").getByText("# want").hover();
  await expect(page.locator(".cm-tooltip-hover")).toContainText("quoted regular expressions");
});

test("the command accepts the exported documents of an update", async ({ playground }, info) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", objects.slice(0, objects.indexOf("---")).replace(/ # stored.*/, "").replace("first", "second"));
  await playground.paste("oldObject", objects.slice(0, objects.indexOf("---")).replace(/ # stored.*/, ""));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  const text = await exported(page);
  expect(text).toContain("# crdlab: stored\n");
  expect(text).toContain("spec: # want `^spec: Invalid value: name is immutable$`");
  expect(await runCommand(text, info.outputPath("test.yaml"))).toContain("ok ");
  await expect(runCommand(text.replace("is immutable$", "is mutable$"), info.outputPath("other.yaml"))).rejects.toMatchObject({ code: 1 });
});

test("an exported test file opens with all expectations met", async ({ playground }, info) => {
  const { page } = playground;
  await playground.open();
  await openFile(playground, file);
  await expect(page.locator("#tests-summary")).toHaveAttribute("title", "2 of 3 expectations met, 1 unexpected finding");
  const text = await exported(page);
  await page.keyboard.press("Escape");
  await openFile(playground, text);
  await expect(page.locator("#tests-summary")).toHaveAttribute("title", "3 of 3 expectations met");
  expect(await runCommand(text, info.outputPath("test.yaml"))).toContain("ok ");
});

test("the changes that no test notices lead to the CRD, and have a test to add", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", "apiVersion: example.com/v1\nkind: CronTab\nmetadata:\n  name: a\nspec:\n  replicas: 0\n");
  await page.locator("#tab-tests").click();
  const [find, status, list] = [page.locator("#mutations-find"), page.locator("#mutations-status"), page.locator("#mutations-list")];
  await find.click();
  await expect(status).toHaveText("The tests fail. Mend them first: only tests that pass can notice a change.");
  await playground.paste("object", "apiVersion: example.com/v1\nkind: CronTab\nmetadata:\n  name: a\nspec:\n  replicas: 1\n");
  await expect(status).toHaveText("The tests notice 0 of 5 changes.");
  await expect(list.locator("li")).toHaveCount(5);
  const transition = list.locator("li", { hasText: "self.name == oldSelf.name" });
  await expect(transition).toContainText("as an update, is refused now, and would be accepted: spec: name is immutable");

  // The mark of the constraint leads to the same test.
  await transition.locator(".goto").click();
  await expect(page.locator("[data-editor=crd] .cm-activeLine")).toContainText("self.name == oldSelf.name");
  const mark = page.locator("[data-editor=crd] .cm-lintRange-info", { hasText: "self.name == oldSelf.name" });
  const limits = page.locator("[data-editor=crd] .cm-lintRange-info", { hasText: /^1$/ });
  await expect(limits).toHaveCount(2);
  await mark.hover();
  const tooltip = page.locator(".cm-tooltip-lint");
  await expect(tooltip).toContainText("No test notices rule dropped: self.name == oldSelf.name at spec.");
  await tooltip.getByRole("button", { name: "Add a test" }).click();
  await expect(playground.editor("object")).toContainText("# crdlab: update");
  await expect(page.locator("#tests-summary")).toHaveAttribute("title", "1 of 1 expectation met");
  await expect(transition).toHaveCount(0);
  await expect(status).toHaveText(/^The tests notice [1-9]/);

  // The last test leaves nothing to notice.
  for (let rest = await list.locator("li").count(); rest > 0; rest = await list.locator("li").count()) {
    await list.locator(".fix").first().click();
    await expect(status).toContainText("changed since");
    await expect(status).not.toContainText("changed since");
  }
  await expect(status).toHaveText(/^The tests notice (\d+) of \1 changes\.$/);
  await expect(limits).toHaveCount(0);
});

firstVisit("without the engine in the page, the server runs the tests", async ({ playground }) => {
  const { page } = playground;
  await page.route(/\.wasm$/, (route) => route.abort());
  await playground.open();
  await openFile(playground, file);
  await page.locator("#permission-grant").click();
  await expect(playground.where()).toHaveText(/on the server/);
  await expect(page.locator("#tests-summary")).toHaveAttribute("title", "2 of 3 expectations met, 1 unexpected finding");
});
