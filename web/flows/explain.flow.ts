import { expect, test } from "./playground";

const costly = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: shops.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: shops, singular: shop, kind: Shop}
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
            - rule: self.parts.all(a, self.parts.all(b, a.name == b.name))
            properties:
              size: {type: integer, default: 3, maximum: 9}
              parts:
                type: array
                items:
                  type: object
                  properties:
                    name: {type: string}
`;
const object = `apiVersion: example.com/v1
kind: Shop
metadata:
  name: a
spec:
  nope: 1
  parts:
  - name: a
`;

test("the line under the editor explains the element at the caret, and links to the schema, the rule and the result", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", costly);
  await playground.paste("object", object);
  await page.locator("#validation").selectOption("Warn");
  const line = (name: string) => page.locator(`[data-explain=${name}]`);
  /** Places the caret in a word, and moves the pointer away, so that no tooltip covers the page. */
  const place = async (name: "crd" | "object", word: string | RegExp) => {
    await playground.editor(name).getByText(word).first().click();
    await page.mouse.move(2, 2);
  };

  // The rule over its limit: the cost, and the bound that lets it pass.
  await playground.showDocument("crd");
  await place("crd", "self");
  await expect(line("crd")).toContainText("rule of spec");
  await expect(line("crd")).toContainText("cost >1,000 trillion of 10 million");
  // The panel keeps this rule while it is hidden; the link below leads to the rule of the mended CRD.
  await playground.showPanel("rules");
  await playground.settled();
  await playground.showPanel("outcome");
  await line("crd").getByRole("button", { name: /^Set maxItems/ }).click();
  await playground.settled();
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  await place("crd", "self");
  await expect(line("crd").locator(".tag")).toHaveText("pass");
  await expect(line("crd")).not.toContainText("Set maxItems");
  await line("crd").locator(".tag").click();
  await expect(page.locator("#panel-rules .rule.is-sought")).toContainText("self.parts.all");

  // A defaulted field of the CRD leads to the line of the result.
  await place("crd", /^size$/);
  await expect(line("crd").getByRole("button")).toHaveText(["spec.size", "integer", "defaulted: 3", "default 3", "maximum 9", "default applies only if spec is present"]);
  await line("crd").getByText("defaulted: 3").click();
  await expect(page.locator(".yaml-line.is-sought")).toContainText("size: 3");

  // A field of the object leads to its schema; a refused field to its reason.
  await playground.showDocument("object");
  await place("object", /^parts$/);
  await expect(line("object")).toContainText("spec.parts[]Object");
  await line("object").getByText("[]Object").click();
  await expect(page.locator("#tab-crd")).toHaveAttribute("aria-selected", "true");
  await expect(line("crd")).toContainText("spec.parts[]Object");
  await playground.showDocument("object");
  await page.locator("#validation").selectOption("Strict");
  await place("object", "nope");
  await expect(line("object").getByRole("button")).toHaveText(["spec.nope", "pruned", 'unknown field "spec.nope"']);
  await page.locator("#validation").selectOption("Warn");
  await expect(line("object").getByRole("button")).toHaveText(["spec.nope", "pruned"]);
  await line("object").getByText("pruned").click();
  await expect(page.locator(".yaml-line.is-sought.is-removed")).toContainText("nope: 1");
});

test("the line has a fixed height", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  const height = async () => (await page.locator("[data-explain=object]").boundingBox())?.height;
  const before = await height();
  await playground.showDocument("object");
  await playground.editor("object").getByText("spec", { exact: true }).click();
  await expect(page.locator("[data-explain=object]")).toContainText("Object");
  expect(await height()).toBe(before);
});
