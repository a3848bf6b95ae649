import { deflateRawSync } from "node:zlib";
import { findings } from "./axe";
import type { Locator } from "@playwright/test";
import { expect, type Page, firstVisit as test } from "./playground";

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: jobs.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {plural: jobs, kind: Job, shortNames: [jb]}
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
              x-kubernetes-validations:
                - {rule: "self.replicas < 9 || self.image != ''", message: many replicas need an image}
              properties:
                image: {type: string, description: "<b>The image</b> of the container.", minLength: 1}
                replicas: {type: integer, default: 1, minimum: 0, maximum: 9}
                ports:
                  type: array
                  items:
                    type: object
                    required: [port]
                    properties:
                      port: {type: integer}
                      protocol: {type: string, enum: [TCP, UDP]}
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
                size: {type: string, format: date-time}
`;

const address = `/schema/#1=${deflateRawSync(JSON.stringify({ crd })).toString("base64url")}`;
const names = (page: Page): Locator => page.locator("#fields-tree summary:visible .field-name");
const line = (page: Page, key: string): Locator => page.locator(`summary[data-key="${key}"]`);
const copied = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

test("a link documents the fields of a CRD", async ({ page, complaints: _ }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(address);
  await expect(names(page)).toHaveText(["Job", "apiVersion", "kind", "metadata", "spec", "image", "ports", "replicas"]);
  await expect(page.locator("h1")).toHaveText("Job");
  await expect(page.locator("#about")).toHaveText("apiVersionexample.com/v1ScopeNamespacedShort namesjb");
  await expect(page.locator(".field-rule")).toHaveText("many replicas need an imageself.replicas < 9 || self.image != ''");
  await page.locator("#copy-sample").click();
  await expect(page.locator("#copy-sample")).toHaveText("Copied");
  expect(await copied(page)).toMatch(/^apiVersion: example.com\/v1\nkind: Job\n[^]*\n {2}image: /);

  // A description is text. The link to a field opens it.
  await line(page, "spec/image").click();
  await expect(page.locator(".field-description:visible").last()).toHaveText("<b>The image</b> of the container.");
  await page.locator("#fields-search").fill("protcol");
  await expect(page.locator("#fields-shown")).toHaveText("1 field");
  await expect(names(page)).toHaveText(["spec", "ports", "protocol"]);
  await line(page, "spec/ports/protocol").click();
  await page.getByRole("button", { name: "Copy as YAML" }).last().click();
  await expect.poll(() => copied(page)).toMatch(/\n {2}ports:\n {4}- port: 1\n {6}protocol: TCP\n$/);
  await page.getByRole("button", { name: "Copy link" }).last().click();
  await expect.poll(() => copied(page)).toMatch(/\/schema\/#1=[\w-]+&panel=schema&field=v1\/spec\/ports\/protocol$/);
  const link = await copied(page);
  expect(page.url()).toBe(link);
  await page.goto("about:blank");
  await page.goto(link);
  await expect(line(page, "spec/ports/protocol")).toHaveAttribute("aria-current", "true");
  await expect(line(page, "spec/ports/protocol")).toBeInViewport();

  // The other version, and the link back.
  await page.locator("#fields-version").selectOption("v2");
  await expect(names(page)).toHaveText(["Job", "apiVersion", "kind", "metadata", "spec", "size"]);
  await expect(page).toHaveURL(/&field=v2$/);
  expect(await page.locator("#playground").evaluate(({ href }: HTMLAnchorElement) => href)).toBe(page.url().replace("/schema/", "/"));
  await page.reload();
  await expect(page.locator("#about")).toContainText("example.com/v2");
});

test("all fields are open on paper, without the controls", async ({ page, complaints: _ }) => {
  await page.goto(address);
  await expect(names(page)).toHaveCount(8);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await expect(names(page)).toHaveCount(10);
  await expect(page.getByText('"TCP", "UDP"')).toBeVisible();
  for (const part of [".site-header", "#fields-search", "#playground", ".field-actions .button"]) await expect(page.locator(part).first()).toBeHidden();
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: "screen" });
  await expect(names(page)).toHaveCount(8);
});

test("the page is accessible, and says what is missing", async ({ page, complaints: _ }) => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto("about:blank");
      await page.goto(`${address}&field=v1/spec/ports/protocol`);
      await expect(line(page, "spec/ports/protocol")).toBeVisible();
      expect(await findings(page), `${colorScheme} at ${width}`).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), "pixels that stick out").toBeLessThanOrEqual(0);
    }
  }
  for (const [hash, sentence] of [
    ["", "There is no CRD yet."],
    ["#1=a", "The link is damaged"],
    ["#yaml=kind: CustomResourceDefinition%0AapiVersion: v1", "The CRD cannot be decoded."],
    ["#url=https://files.example.com/", "The address names files elsewhere."],
  ] as const) {
    await page.goto("about:blank");
    await page.goto(`/schema/${hash}`);
    await expect(page.locator("#state"), hash).toContainText(sentence);
  }
});

test("the playground links to the documentation of its CRD", async ({ playground }) => {
  const { page } = playground;
  await playground.openExample("crontab-validation");
  await playground.showPanel("schema");
  await expect(page.locator("#fields-docs")).toHaveAttribute("href", /^schema\/#1=/);
  await page.locator("#fields-docs").click();
  await expect(page.locator("h1")).toHaveText("CronTab");
  await page.goto("/schema/");
  await expect(page.locator("h1"), "the last session").toHaveText("CronTab");
  await expect(page).toHaveURL(/\/schema\/#1=/);
});
