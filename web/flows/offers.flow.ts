import { expect, test } from "./playground";

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
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
          spec:
            type: object
            properties:
              size: {type: integer}
`;

const object = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: my-own-work\nspec:\n  size: 1\n";

test("the example of a breaking change becomes the object, and the replaced one comes back", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd.replace("size", "amount"));
  await playground.paste("oldCrd", crd);
  await playground.paste("object", object);
  await page.locator("#tab-changes").click();
  const witness = page.locator("[data-panel=changes] .witness");
  await expect(witness).toContainText("The history keeps the present one.");
  await witness.getByRole("button", { name: "Open as the object" }).click();
  await playground.settled();
  expect(await playground.text("object")).toContain("name: example\n");

  await page.locator("#history-open").click();
  await page.locator("#history-list [data-restore]").filter({ hasText: "Thing my-own-work" }).click();
  await playground.settled();
  expect(await playground.text("object")).toBe(object);
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(playground.editor("object")).toContainText("name: example");
  await page.keyboard.press("ControlOrMeta+z");
  await expect(playground.editor("object")).toContainText("my-own-work");
});
