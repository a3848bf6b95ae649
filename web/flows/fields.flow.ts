import { expect, firstVisit, test } from "./playground";

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: jobs.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: jobs, kind: Job}
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
              required: [image]
              properties:
                image: {type: string, description: The image of the container. It needs a tag.}
                replicas: {type: integer, default: 1, minimum: 0, maximum: 9}
                ports:
                  type: array
                  items:
                    type: object
                    required: [port]
                    properties:
                      port: {type: integer}
                      protocol: {type: string, enum: [TCP, UDP], default: TCP}
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
                size: {type: integer}
`;

const object = "apiVersion: example.com/v1\nkind: Job\nmetadata:\n  name: a\nspec:\n  image: a:1\n";

test("the fields of a CRD are a tree with a filter, and a field is inserted into the object", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object);
  await playground.showPanel("schema");
  const tree = page.locator("#fields-tree");
  const line = (name: string) => tree.locator("summary").filter({ has: page.locator(".field-name", { hasText: new RegExp(`^${name}$`) }) });
  await expect(tree.locator("summary:visible .field-name")).toHaveText(["Job", "apiVersion", "kind", "metadata", "spec"]);

  // The arrow keys open a field and move between the lines.
  await line("spec").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(line("image")).toBeFocused();
  await expect(line("image")).toHaveText("image string required The image of the container.");
  await page.keyboard.press("ArrowLeft");
  await expect(line("spec")).toBeFocused();
  await page.keyboard.press("ArrowLeft");
  await expect(line("image")).toBeHidden();
  await page.keyboard.press("ArrowRight");
  expect(await tree.ariaSnapshot()).toContain("group: ports []Object");

  // A typo finds the field; its place is opened.
  await page.locator("#fields-search").fill("protcol");
  await expect(page.locator("#fields-shown")).toHaveText("1 field");
  await expect(tree.locator("summary:visible .field-name")).toHaveText(["spec", "ports", "protocol"]);
  await line("protocol").click();
  await expect(page.locator(".field-facts:visible").last()).toContainText('"TCP", "UDP"');
  await expect(page).toHaveURL(/panel=schema&field=v1\/spec\/ports\/protocol$/);

  // The link opens the field.
  const link = await playground.shareLink();
  expect(link).toContain("field=v1/spec/ports/protocol");
  await page.goto("about:blank");
  await page.goto(link);
  await expect(line("protocol")).toHaveAttribute("aria-current", "true");
  await expect(line("protocol")).toBeInViewport();

  // The insertion creates the list with the required fields of its item.
  const body = tree.locator("details[open] > .field-body").filter({ hasText: "spec.ports[*].protocol" });
  await body.getByRole("button", { name: "Insert into the object" }).click();
  await expect.poll(() => playground.text("object")).toBe(`${object}  ports:\n    - port: 1\n      protocol: TCP\n`);
  await expect(page.locator("a.brief .is-accepted")).toBeVisible();
  await body.getByRole("button", { name: "Show in the CRD" }).click();
  await expect(playground.editor("crd")).toBeFocused();

  // The fields of the other version.
  await page.locator("#fields-version").selectOption("v2");
  await expect(line("size")).toBeVisible();
  await expect(line("image")).toHaveCount(0);
});

firstVisit("a level with many fields is rendered in parts", async ({ playground }) => {
  const { page } = playground;
  const many = Array.from({ length: 450 }, (_, i) => `                field${i + 1000}: {type: string}\n`).join("");
  await playground.open("/#panel=schema&field=v1/spec/field1420");
  await playground.paste("crd", crd.replace(/ {16}image:[^]*?(?= {4}- name: v2)/, many).replace("              required: [image]\n", ""));
  const lines = page.locator("#fields-tree summary:visible");
  // The link leads to a field beyond the first part.
  await expect(page.locator('[data-key="spec/field1420"]')).toBeInViewport();
  await expect(lines).toHaveCount(426);
  await page.getByRole("button", { name: "Show 29 more fields" }).click();
  await expect(lines).toHaveCount(455);
  await page.locator("#fields-search").fill("field");
  await expect(page.locator("#fields-shown")).toHaveText("50 of 450 fields");
});
