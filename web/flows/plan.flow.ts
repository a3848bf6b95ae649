import { expect, test } from "./playground";

const old = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: disks.example.com
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Disk, plural: disks, singular: disk, listKind: DiskList}
  versions:
  - name: v1alpha1
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

const object = `apiVersion: example.com/v1alpha1
kind: Disk
metadata:
  name: a
spec:
  size: 3
`;

test("an upgrade is planned, and each step opens as a scenario", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", old.replace("v1alpha1", "v1"));
  await playground.paste("oldCrd", old);
  await playground.paste("oldObject", object);
  await page.locator("#tab-changes").click();
  await page.locator("#plan-make").click();
  const steps = page.locator("#plan-steps > li");
  await expect(page.locator("#plan-summary li").first()).toHaveText("6 steps.");
  await expect(steps.locator("strong")).toHaveText([
    "Serve v1 beside v1alpha1", "Store new objects as v1", "Stop serving v1alpha1",
    "Write all objects again, which stores them as v1", "Remove v1alpha1 from status.storedVersions", "Remove v1alpha1",
  ]);
  await expect(steps.locator(".tag")).toHaveText(["accepted", "accepted", "accepted", "accepted", "accepted", "accepted"]);
  await steps.nth(3).locator("summary").click();
  await expect(steps.nth(3).locator("pre")).toContainText("kubectl get disks.v1.example.com --all-namespaces");

  // The whole upgrade is refused, and each step is accepted.
  const verdict = page.locator("[data-panel=brief]");
  await expect(verdict).toContainText("Rejected");
  for (const i of [0, 1, 2, 3, 5]) {
    await steps.nth(i).getByRole("button", { name: "Open" }).click();
    await playground.settled();
    await expect(page.locator("#plan-steps > [aria-current]")).toHaveCount(1);
    await expect(steps.nth(i)).toHaveAttribute("aria-current", "");
    await expect(verdict).toContainText("Accepted");
  }
  await expect(page.locator("#plan-make")).toBeHidden();
  await page.locator("#plan-back").click();
  expect(await playground.text("oldObject")).toBe(object);

  // Only the whole upgrade is kept, not its steps.
  await page.locator("#history-open").click();
  await expect(page.locator("#history-list li")).toHaveCount(1);
  await page.keyboard.press("Escape");

  await playground.paste("oldObject", object.replace("3", "4"));
  await expect(page.locator("#plan-status")).toHaveText("The documents have changed since.");
  await expect(page.locator("#plan-make")).toBeEnabled();
  await playground.openExample("versions");
  await expect(page.locator("#plan-steps > li")).toHaveCount(0);
});

test("a plan shows what a step breaks", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", old.replace("v1alpha1", "v1").replace("size", "sizeGi"));
  await playground.paste("oldCrd", old);
  await playground.paste("oldObject", object);
  await page.locator("#tab-changes").click();
  await page.locator("#plan-make").click();
  await expect(page.locator("#plan-summary")).toContainText("What breaks objects or clients: step 1, step 2, step 4.");
  const first = page.locator("#plan-steps > li").first();
  await expect(first.locator(".tag")).toHaveText("breaks");
  await expect(first.locator("dd", { hasText: "existing.yaml:1" })).toHaveText('existing.yaml:1: "a": v1 does not show spec.size, and a write at v1 deletes it');
});
