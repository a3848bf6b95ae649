import { expect, firstVisit as test } from "./playground";

interface Attempt {
  readonly name: string;
  readonly error: string;
}

test("the browser rejects strings as HTML, scripts and addresses of scripts", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("#where")).toHaveText(/in this page/);
  const attempts = await page.evaluate(() => {
    const errorOf = (name: string, attempt: () => unknown): Attempt => {
      try {
        attempt();
        return { name, error: "none" };
      } catch (error) {
        return { name, error: (error as Error).constructor.name };
      }
    };
    return [
      errorOf("innerHTML", () => (document.createElement("div").innerHTML = "<b>bold</b>")),
      errorOf("insertAdjacentHTML", () => document.body.insertAdjacentHTML("beforeend", "<b>bold</b>")),
      errorOf("DOMParser", () => new DOMParser().parseFromString("<b>bold</b>", "text/html")),
      errorOf("createContextualFragment", () => document.createRange().createContextualFragment("<b>bold</b>")),
      errorOf("script.src", () => (document.createElement("script").src = "/assets/main.js")),
      errorOf("script.text", () => (document.createElement("script").text = "1")),
      errorOf("Worker", () => new Worker("/assets/main.js")),
      errorOf("onclick", () => document.body.setAttribute("onclick", "globalThis.pwned = 1")),
      errorOf("another policy", () =>
        (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } }).trustedTypes.createPolicy("other", {})),
      errorOf("the same policy again", () =>
        (globalThis as unknown as { trustedTypes: { createPolicy(name: string, rules: object): void } }).trustedTypes.createPolicy("crdlab", {})),
    ];
  });
  expect(attempts.filter(({ error }) => error !== "TypeError")).toEqual([]);
});

test("the page connects to no other host and applies no inline style", async ({ page }) => {
  await page.goto("/");
  await expect(page.locator("#where")).toHaveText(/in this page/);
  const violated = await page.evaluate(async () => {
    const violations: string[] = [];
    addEventListener("securitypolicyviolation", ({ effectiveDirective }) => violations.push(effectiveDirective));
    await fetch("https://files.example.com/").catch(() => undefined);
    document.body.setAttribute("style", "color: red");
    document.head.append(Object.assign(document.createElement("style"), { textContent: "body { color: red }" }));
    await new Promise((resolve) => setTimeout(resolve));
    return violations;
  });
  expect([...new Set(violated)].sort()).toEqual(["connect-src", "style-src-attr", "style-src-elem"]);
});
