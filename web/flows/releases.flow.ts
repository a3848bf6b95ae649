import { serveFiles } from "./files";
import { expect, type Page, Playground, firstVisit as test } from "./playground";
import { startServer } from "./server";

// The oldest release has a module in the page. Calico's rule exceeds its cost limit.
const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: pools, singular: pool, kind: Pool}
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
            properties: {cidr: {type: string}}
            x-kubernetes-validations:
            - rule: isCIDR(self.cidr) && cidr(self.cidr) == cidr(self.cidr).masked()
`;

const object = `apiVersion: example.com/v1
kind: Pool
metadata: {name: a}
spec: {cidr: 10.0.0.0/8}
`;

test.slow();

async function openScenario(playground: Playground, address = "/"): Promise<void> {
  await playground.open(address);
  await expect(playground.where()).toHaveText(/in this page/);
  await playground.paste("crd", crd);
  await playground.paste("object", object);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
}

const choose = (page: Page, release: string): Promise<string[]> => page.locator("#kubernetes").selectOption(release);

async function expectRejection(playground: Playground): Promise<void> {
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "rejected");
  await expect(playground.page.locator("#panel-outcome")).toContainText("exceeds budget by factor of more than 100x");
  await expect(playground.page.locator(".differences").first()).toContainText("accepts it");
}

test("the page judges with the libraries of the chosen release", { tag: "@nightly" }, async ({ playground }) => {
  const { page } = playground;
  await openScenario(playground);
  await choose(page, "1.31");
  await expect(page.locator("#engine-state")).toHaveText(/libraries of Kubernetes 1\.31/);
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "approximate");
  await expectRejection(playground);
  await expect(playground.where()).toHaveText(/in this page/);

  await choose(page, "");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
});

test("choosing another release cancels the download", { tag: "@nightly" }, async ({ playground }) => {
  const { page } = playground;
  await openScenario(playground);
  await choose(page, "1.31");
  await expect(page.locator("#engine-state")).toHaveText(/libraries of Kubernetes 1\.31/);
  await choose(page, "");
  await expect(page.locator("#engine-state")).toHaveText("");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
});

test("the panel of releases runs the modules on request", { tag: "@nightly" }, async ({ playground }) => {
  const { page } = playground;
  await openScenario(playground);
  await page.locator("#tab-releases").click();
  const oldest = page.locator('[data-release="1.31"]');
  await expect(oldest).toContainText("No verdict");
  await page.locator("#releases-start").click();
  await expect(oldest).toContainText("Rejected");
  await expect(page.locator('[data-release="1.37"]')).toContainText("Accepted");
  const list = page.locator("#kubernetes option");
  await expect(list.filter({ hasText: "1.31" })).toHaveText("1.31 ✗");
  await expect(list.filter({ hasText: "1.37" })).toHaveText("1.37 ✓");
  await choose(page, "1.31");
  await page.locator("#tab-outcome").click();
  await expectRejection(playground);
  await expect(list.filter({ hasText: "1.37" })).toHaveText("1.37 ✓");
  await playground.paste("object", object.replace("10.0.0.0/8", "10.0.0.1/8"));
  await expect(list.filter({ hasText: "1.31" })).toHaveText("1.31");
});

test.describe("with a service worker", () => {
  test.use({ serviceWorkers: "allow" });

  test("the module stays available without a network", { tag: "@nightly" }, async ({ browser }) => {
    const own = await startServer();
    const context = await browser.newContext({ serviceWorkers: "allow", baseURL: own.url });
    const page = await context.newPage();
    const playground = new Playground(page);
    await openScenario(playground);
    await choose(page, "1.31");
    await expectRejection(playground);
    await expect.poll(() => page.evaluate(async () => {
      const names = await caches.keys();
      const kept = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return kept.flat().filter(({ url }) => url.endsWith(".wasm")).length;
    }), { timeout: 90_000 }).toBe(2);
    await own.stop();
    await (await context.newCDPSession(page)).send("Network.clearBrowserCache");
    await context.setOffline(true);
    await page.reload();
    await expectRejection(playground);
    await context.close();
  });
});

test("a static host suffices", { tag: "@nightly" }, async ({ playground }) => {
  const host = await serveFiles("/team/crdlab/", { paths: [], bytes: 0 });
  await openScenario(playground, host.address);
  await choose(playground.page, "1.31");
  await expectRejection(playground);
  await host.stop();
});
