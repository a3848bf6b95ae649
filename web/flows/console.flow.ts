import { expect, firstVisit, test } from "./playground";
import { crd, object } from "./texts";

test("the console evaluates an expression at any node of the object", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await page.keyboard.press("Alt+Shift+C");
  const result = page.locator("#console-result");
  await page.keyboard.type("self.spec", { delay: 30 });
  await expect(result).toContainText("object");
  await page.keyboard.type(".r");
  const option = page.locator("#console-editor .cm-tooltip-autocomplete li", { hasText: "replicas" });
  await expect(option).toContainText("int");
  await playground.takeOffer();
  await page.keyboard.type(" * 2 > 5");
  await expect(result.locator(".console-value")).toHaveText("=truebool");
  await expect(result.locator(".trace")).toContainText("self.spec.replicas * 2 = 6");
  await expect(result).toContainText("of 10 million");

  // An edit of the object and another node change the value.
  const address = page.url();
  await playground.paste("object", object("2"));
  await expect(result.locator(".console-value")).toHaveText("=falsebool");
  await page.locator("#console-path").fill("spec.replicas");
  await expect(result.locator(".console-errors")).toContainText("does not support field selection");
  await expect(page.locator("#console-editor .cm-lintRange-error")).toHaveCount(1);
  await page.keyboard.press("Alt+Shift+C");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("self + 1");
  await expect(result.locator(".console-value")).toHaveText("=3int");

  await expect(page).not.toHaveURL(address); // the address holds the documents a second later
  await page.reload();
  await playground.settled();
  await expect(result.locator(".console-value")).toHaveText("=3int");
});

test("on an older release, the console is one click away", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await page.locator("#kubernetes").selectOption("1.32");
  await playground.settled();
  await page.locator("#console-open").click();
  await page.keyboard.insertText("self.spec.replicas + 1");
  const result = page.locator("#console-result");
  await expect(result.locator(".console-value")).toHaveText("=4int");
  // A function of a later release is unknown.
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText("semver('1.2.3').major()");
  await expect(result.locator(".console-errors")).toContainText("undeclared reference to 'semver'");
});

test("the console accepts a rule with its node, and the cursor's node", async ({ playground }) => {
  const { page } = playground;
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("7"));
  await playground.showPanel("rules");
  await page.getByRole("button", { name: "Open in console" }).first().click();
  const result = page.locator("#console-result");
  await expect(result.locator(".console-value")).toHaveText("=falsebool");
  await expect(page.locator("#console-path")).toHaveValue("spec");
  // A step of the trace selects its expression.
  await result.locator(".trace .goto", { hasText: /^self.replicas$/ }).click();
  await page.keyboard.type("minimum");
  await expect(result.locator(".console-errors")).toContainText("undefined field 'minimum'");

  await playground.editor("object").getByText("replicas").click();
  await page.locator("#console-cursor").click();
  await expect(page.locator("#console-path")).toHaveValue("spec.replicas");
  await page.locator("#console-path").fill("");
  await expect(result.locator(".console-errors")).toContainText("undefined field");
});

firstVisit("an endless expression is stopped, and the page works on", { tag: "@nightly" }, async ({ playground }) => {
  const { page } = playground;
  // The engine's limits allow no endless expression, so the flow simulates one.
  const runaway = `;(() => {
    let assist;
    Object.defineProperty(globalThis, "crdlabAssist", {
      set(value) { assist = value; },
      get: () => (request, documents) => { while (request.includes("run-away")); return assist(request, documents); },
    });
  })();`;
  await page.route(/wasm_exec/, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: (await response.text()) + runaway });
  });
  await playground.open();
  await playground.paste("crd", crd);
  await playground.paste("object", object("3"));
  await page.keyboard.press("Alt+Shift+C");
  const result = page.locator("#console-result");
  await page.keyboard.insertText('"run-away"');
  await playground.editor("object").getByText("my-cron").click();
  await page.keyboard.press("End");
  await page.keyboard.type(" # kept");
  await expect(result).toContainText("was stopped after");
  await page.keyboard.press("Alt+Shift+C");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type("1 + 1");
  await expect(result.locator(".console-value")).toHaveText("=2int");
  await playground.paste("object", object("30"));
  await playground.showPanel("outcome");
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
});
