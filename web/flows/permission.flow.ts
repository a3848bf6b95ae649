// Without the engine in the page, documents go to the server only with the user's permission.

import { expect, type Page, Playground, firstVisit as test } from "./playground";
import { crd, object, types } from "./texts";

test.beforeEach(async ({ page }) => {
  await page.route(/\.wasm$/, (route) => route.abort());
});

/** Records the bodies of the requests to the server. */
function recordSent(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    const body = request.postData();
    if (body !== null) sent.push(body);
  });
  return sent;
}

test("the server evaluates examples and opened short links without the question", async ({ playground, request }) => {
  const { page } = playground;
  const shared = await request.post("/api/v1/share", { data: { crd, object: object("15") } });
  const { id } = (await shared.json()) as { id: string };
  for (const address of ["/", "/#example=crontab-rules", `/s/${id}`]) {
    await page.goto("about:blank");
    await page.evaluate(() => undefined);
    await playground.open(address);
    await expect(playground.where()).toHaveText(/on the server/);
    await playground.showPanel("rules");
    await playground.settled();
    await expect(page.locator("[data-panel=rules]")).not.toBeEmpty();
    await expect(page.locator("#permission")).toBeHidden();
  }
  await expect(page.locator("#engine-state")).toHaveText("The engine could not be loaded.");
  await page.unroute(/\.wasm$/);
  await page.locator("#engine-again").click();
  await expect(playground.where()).toHaveText(/in this page/);
});

test("the question precedes the first request, and its answer is remembered", async ({ playground, context }) => {
  const { page } = playground;
  const sent = recordSent(page);
  await playground.open();
  await expect(playground.where()).toHaveText(/on the server/);
  sent.length = 0;
  await playground.paste("crd", crd);
  await playground.paste("object", object("15"));
  const question = page.locator("#permission");
  await expect(question).toContainText("Send your documents to the server?");
  for (const [scheme, width] of [["light", 1280], ["dark", 1280], ["light", 390]] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 800 });
    await page.screenshot({ path: `test-results/pictures/permission-${scheme}-${width}.png` });
  }
  expect(sent).toEqual([]);
  // The browser loads the icon again whenever the address changes, also without a network.
  await page.route(/\/icon-[^/]*\.svg$/, (route) => route.fulfill({ contentType: "image/svg+xml", body: "<svg xmlns='http://www.w3.org/2000/svg'/>" }));
  await context.setOffline(true);
  await expect(question).toBeHidden();
  await expect(page.locator("#engine-offline")).toContainText("After one visit with a network, the page works offline.");
  await page.screenshot({ path: "test-results/pictures/permission-offline.png" });
  await context.setOffline(false);
  await expect(question).toBeVisible();

  await page.locator("#permission-refuse").click();
  await expect(question).toBeHidden();
  await playground.paste("object", object("7"));
  await expect(page.locator("#panel-outcome")).toContainText("your documents are not sent to the server");
  expect(sent).toEqual([]);
  await page.reload();
  await playground.settled();
  await playground.paste("object", object("15"));
  await expect(question).toBeHidden();
  expect(sent).toEqual([]);

  await page.locator("#permission-again").click();
  await page.locator("#permission-grant").click();
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(playground.where()).toHaveText(/on the server/);
  expect(sent.length).toBeGreaterThan(0);

  const next = new Playground(await context.newPage());
  await next.page.route(/\.wasm$/, (route) => route.abort());
  await next.open();
  await next.paste("object", object("7"));
  await expect(next.page.locator("#permission")).toBeHidden();
  await expect(next.verdict("object")).toHaveAttribute("data-state", "rejected");
  await next.page.locator("#permission-again").click();
  await next.paste("object", object("15"));
  await expect(next.page.locator("#panel-outcome")).toContainText("your documents are not sent to the server");
});

test("Go types go to the server only with the permission, and then give the CRD", async ({ playground }) => {
  const { page } = playground;
  const sent = recordSent(page);
  await playground.open();
  await expect(playground.where()).toHaveText(/on the server/);
  sent.length = 0;
  await playground.paste("go", types);
  await expect(page.locator("#permission")).toBeVisible();
  await expect(page.locator("#go-state")).toContainText("your documents are not sent");
  expect(sent).toEqual([]);
  await page.locator("#permission-grant").click();
  await playground.stored("name: disks.example.com");
  await expect(page.locator("#go-note")).toBeHidden();
});
