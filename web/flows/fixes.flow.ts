import { expect, test } from "./playground";
import { crd, object } from "./texts";

test("a quick fix beside a problem edits the document, and can be undone", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("0"));
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  const before = await playground.text("object");

  await playground.showDocument("crd");
  await page.locator("#problems").getByRole("button", { name: "Set replicas: 1" }).click();
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(page.locator("#tab-object")).toHaveAttribute("aria-selected", "true");
  expect(await playground.text("object")).toBe(before.replace("replicas: 0", "replicas: 1"));
  await expect(playground.problems()).toHaveCount(0);

  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  expect(await playground.text("object")).toBe(before);
});

test("a key applies the fix at the caret, and goes to the next problem", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", `${object("3")}  imag: a\n  replica: 1\n`);
  await expect(playground.problems()).toHaveCount(2);
  await playground.editor("object").getByText("imag").click();
  await page.keyboard.press("ControlOrMeta+.");
  await expect(playground.problems()).toHaveCount(1);
  await expect(page.locator("[data-editor=object] .cm-activeLine")).toHaveText("  replica: 1");
  await page.keyboard.press("ControlOrMeta+.");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  expect(await playground.text("object")).toContain("  image: a\n");
});

test("after a fix by keyboard the next problem has the focus, and after the last the editor", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", `${object("3")}  imag: a\n  replica: 1\n`);
  await expect(playground.problems()).toHaveCount(2);
  const fixes = page.locator("#problems .problem-actions .fix");
  const [first, second = ""] = await fixes.allInnerTexts();
  expect(first).not.toBe(second);
  await fixes.first().focus();
  await page.keyboard.press("Enter");
  await expect(playground.problems()).toHaveCount(1);
  await expect(page.locator("#problems").getByRole("button", { name: second })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "accepted");
  await expect(playground.editor("object")).toBeFocused();
});

test("a quick fix is offered at the marked range", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd.replace("type: integer", "type: int"));
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "rejected");
  await page.locator("[data-editor=crd] .cm-lintRange-error").first().hover();
  await page.locator("[data-editor=crd]").getByRole("button", { name: "Set type: integer" }).first().click();
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  expect(await playground.text("crd")).toContain("type: integer");
});

test("rules that cost too much get the necessary limits", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", costly);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "rejected");
  const fix = page.locator(".problem .fix").first();
  await expect(fix).toHaveText(/^Set max(Items|Length): \d+/);
  await playground.showPanel("rules");
  const beside = page.locator("#panel-rules .rule.is-refused .fix").first();
  await expect(beside).toHaveText(await fix.innerText());
  await beside.click();
  await expect(page.locator("#panel-rules .rule.is-refused")).toHaveCount(0);
  await playground.showPanel("outcome");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
});

const costly = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          jobs:
            type: array
            items:
              type: object
              properties:
                name: {type: string}
                after:
                  type: array
                  items: {type: string}
              x-kubernetes-validations:
              - rule: self.after.all(a, a != self.name)
`;
