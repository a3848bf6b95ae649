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
  await expect(witness).toContainText("The current object moves to the history.");
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

test("the example of a breaking change opens in the request that refuses it", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd.replace("{type: integer}", "{type: integer, maximum: 5}"));
  await playground.paste("oldCrd", crd);
  await playground.paste("object", object);
  for (const name of ["my-own-work", "example"]) {
    await playground.paste("oldObject", object.replace("my-own-work", name).replace("size: 1", "size: 6"));
    await page.locator("#tab-changes").click();
    await page.getByRole("button", { name: "Open as the object" }).click();
    await expect(page.locator("#operation")).toHaveValue("create");
    await expect(playground.problems()).toHaveText([/spec\.size\s+6\s+should be less than or equal to 5/]);
  }
});

const versions = `${crd.trimEnd()}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              amount: {type: integer}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {url: "https://example.com/convert"}
`;

for (const panel of ["outcome", "versions"] as const) {
  test(`the panel ${panel} offers to simulate the conversion webhook`, async ({ playground }) => {
    const { page } = playground;
    await playground.paste("crd", versions);
    await playground.paste("object", object.replace("v1", "v2").replace("size", "amount"));
    await expect(page.locator("[data-panel=brief]")).toContainText("Depends on the webhook");
    await playground.showPanel(panel);
    await page.locator(`[data-panel=${panel}]`).getByRole("button", { name: "Simulate the webhook" }).click();
    await expect(page.locator("[data-panel=brief]")).toContainText("Accepted");
    expect(await playground.text("conversion")).toContain("- field: .spec.amount\n      destination: .spec.size\n");
    await expect(page.getByRole("button", { name: "Simulate the webhook" })).toHaveCount(0);
  });
}

test("an existing object without managedFields gets the manager of the request as its owner", async ({ playground }) => {
  const { page } = playground;
  await playground.paste("crd", crd);
  await playground.paste("oldObject", object);
  await playground.paste("object", object.replace("size: 1", "size: 2"));
  await page.locator("#operation").selectOption("apply");
  const causes = playground.problems();
  await expect(causes.first()).toContainText('conflict with "before-first-apply"');
  await causes.getByRole("button", { name: "Let kubectl own the existing object" }).click();
  await expect(page.locator("[data-panel=brief]")).toContainText("Accepted");
  expect(await playground.text("oldObject")).toContain("operation: Apply");
});

test("the panel kubectl shows the CRD as stored, with the reason for each difference", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd.replace("scope: Namespaced", "scope: Namespaced\n  preserveUnknownFields: false"));
  await playground.showPanel("kubectl");
  const stored = page.locator("#panel-kubectl .state");
  await expect(stored).toContainText("CRD as stored");
  await stored.locator("summary").click();
  const dropped = stored.getByRole("row").filter({ hasText: "spec.preserveUnknownFields" });
  await expect(dropped).toContainText("the API server leaves out the empty value");
  await dropped.getByRole("button").first().click();
  await expect(playground.editor("crd")).toBeFocused();
  await stored.locator("summary").click();
});
