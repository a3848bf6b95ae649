import type { Page, Request } from "@playwright/test";
import { expect, type Playground, firstVisit, test } from "./playground";
import { crd, markup, object } from "./texts";

const site = "https://files.example.com";
const other = crd.replaceAll("crontabs", "backups").replaceAll("crontab", "backup").replaceAll("CronTab", "Backup");

interface File {
  readonly status?: number;
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
}

/** The files of the site. By default, every origin may read them. */
const files: Record<string, File> = {
  "/crd.yaml": { body: crd },
  "/object.yaml": { body: object("15") },
  "/bundle.yaml": { body: `${crd}---\n${object("15")}` },
  "/crds.yaml": { body: `${crd}---\n${other}` },
  "/dos.yaml": { body: crd.replaceAll("\n", "\r\n") },
  "/refused.yaml": { body: crd, headers: { "access-control-allow-origin": "https://elsewhere.example.com" } },
  "/private.yaml": { status: 403, body: "no" },
  "/broken.yaml": { status: 500, body: "no" },
  "/large.yaml": { body: crd + "#".repeat(8 << 20) },
  "/page.html": { body: "<!doctype html><title>A page</title>", headers: { "content-type": "text/html" } },
  "/values.yaml": { body: "replicas: 3\n" },
  "/picture.png": { body: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff]) },
  [`/${encodeURIComponent(markup)}`]: { body: "a: 1\n" },
};

/** Simulates hosts that flows cannot reach, and returns the requests to them. */
async function serveSite(page: Page): Promise<Request[]> {
  const asked: Request[] = [];
  const answer = ({ status = 200, body = "", headers = {} }: File) => ({ status, body, headers: { "access-control-allow-origin": "*", ...headers } });
  await page.route(`${site}/**`, (route, request) => {
    asked.push(request);
    return route.fulfill(answer(files[new URL(request.url()).pathname] ?? { status: 404 }));
  });
  await page.route("https://raw.githubusercontent.com/**", (route, request) => {
    asked.push(request);
    return route.fulfill(answer({ body: crd }));
  });
  return asked;
}

const linkTo = (path: string): string => `/#url=${encodeURIComponent(site + path)}`;

/** Waits for the note about the source and for the result. */
async function opened(playground: Playground, note: RegExp): Promise<void> {
  await expect(playground.page.locator("#source-note")).toHaveText(note);
  await playground.settled();
}

test("a link to a CRD shows only the CRD and its source", async ({ playground }) => {
  const { page } = playground;
  const asked = await serveSite(page);
  await playground.open(`${linkTo("/crd.yaml")}&panel=schema`);
  await opened(playground, /^\s*CRD from\s+https:\/\/files\.example\.com\/crd\.yaml\s*$/);
  expect(await playground.text("crd")).toContain("many replicas need an image");
  await expect(page.locator("#tab-schema")).toHaveAttribute("aria-selected", "true");
  await playground.showPanel("outcome");
  await expect(playground.verdict("crd")).toHaveAttribute("data-state", "accepted");
  await expect(playground.verdict("object")).toHaveCount(0);
  await expect(page.locator("#source-link")).toHaveAttribute("href", `${site}/crd.yaml`);
  await expect(page).toHaveURL(linkTo("/crd.yaml"));
  const headers = (await asked[0]?.allHeaders()) ?? {};
  expect(asked).toHaveLength(1);
  expect([headers["cookie"], headers["referer"], headers["authorization"]]).toEqual([undefined, undefined, undefined]);
});

test("an edit puts the scenario into the link, and undo restores the address", async ({ playground }) => {
  const { page } = playground;
  await serveSite(page);
  await playground.open(linkTo("/dos.yaml"));
  await opened(playground, /CRD from/);
  await expect(page).toHaveURL(linkTo("/dos.yaml"));
  await page.locator("#share-open").click();
  await expect(page.locator("#share-url")).toHaveValue(new RegExp(`${linkTo("/dos.yaml")}$`));
  await expect(page.locator("#share-link")).toHaveValue(/#1=/);
  await page.keyboard.press("Escape");

  await playground.editor("crd").focus();
  await page.keyboard.type("# mine");
  await expect(page).toHaveURL(/#1=/);
  await expect(page.locator("#source-note")).toBeHidden();
  await page.reload();
  await playground.settled();
  expect(await playground.text("crd")).toContain("# mine");
  await page.locator("#share-open").click();
  await expect(page.locator("#share-url")).toBeHidden();
});

test("undo restores the previous documents", async ({ playground }) => {
  const { page } = playground;
  await serveSite(page);
  await playground.open();
  await playground.paste("object", object("7"));
  await page.evaluate((hash) => (location.hash = hash), linkTo("/crd.yaml").slice(1));
  await opened(playground, /CRD from/);
  await playground.showDocument("object");
  await expect(playground.editor("object")).not.toContainText("replicas");
  await playground.editor("object").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(playground.editor("object")).toContainText("replicas: 7");
});

test("a reload fetches unedited documents again", async ({ playground }) => {
  const { page } = playground;
  const asked = await serveSite(page);
  await playground.open(linkTo("/bundle.yaml"));
  await opened(playground, /CRD and objects from/);
  await playground.stored(`"address":"${site}/bundle.yaml"`);
  await page.reload();
  await opened(playground, /CRD and objects from/);
  await expect.poll(() => asked.length).toBe(2);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(page).toHaveURL(linkTo("/bundle.yaml"));
});

test("a link stays in the address while its documents are fetched", async ({ playground }) => {
  const { page } = playground;
  const during: string[] = [];
  await page.route(`${site}/**`, async (route) => {
    await page.waitForTimeout(1500); // The page writes the address a second after a change.
    during.push(page.url());
    await route.fulfill({ body: crd, headers: { "access-control-allow-origin": "*" } });
  });
  await playground.open();
  await playground.showPanel("rules");
  await page.evaluate((hash) => (location.hash = hash), linkTo("/crd.yaml").slice(1));
  await opened(playground, /CRD from/);
  expect(during).toEqual([expect.stringContaining(linkTo("/crd.yaml"))]);
});

test("a bundle fills both editors, and one of several CRDs can be chosen", async ({ playground }) => {
  await serveSite(playground.page);
  await playground.open(linkTo("/bundle.yaml"));
  await opened(playground, /CRD and objects from/);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await playground.page.goto(linkTo("/crds.yaml"));
  await opened(playground, /crds\.yaml/);
  await expect(playground.verdict("crd")).toContainText("crontabs.stable.example.com");
  await playground.page.getByRole("button", { name: "backups.stable.example.com" }).click();
  await expect(playground.verdict("crd")).toContainText("backups.stable.example.com");
});

test("a link with several addresses opens all files", async ({ playground }) => {
  const { page } = playground;
  await serveSite(page);
  const link = `${linkTo("/crd.yaml")}&url=${encodeURIComponent(`${site}/object.yaml`)}`;
  await playground.open(link);
  await opened(playground, /^\s*CRD and objects from\s+https:\/\/files\.example\.com\/crd\.yaml and 1 more file\s*$/);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(page).toHaveURL(link);
});

firstVisit("a link says when its file has changed since the last visit", async ({ playground }) => {
  const { page } = playground;
  let body = crd;
  await page.route(`${site}/**`, (route) => route.fulfill({ body, headers: { "access-control-allow-origin": "*" } }));
  await page.clock.setFixedTime("2026-03-02T12:00:00Z");
  const visit = async (note: RegExp): Promise<void> => {
    await page.goto("about:blank");
    await playground.open(linkTo("/crd.yaml"));
    await opened(playground, note);
  };
  await visit(/crd\.yaml\s*$/);
  await page.clock.setFixedTime("2026-03-05T12:00:00Z");
  await visit(/crd\.yaml\s*$/);
  body = `# newer\n${crd}`;
  await page.clock.setFixedTime("2026-03-09T12:00:00Z");
  await visit(/crd\.yaml, changed since your visit on 5 March 2026\s*$/);
  await visit(/crd\.yaml\s*$/);
});

test("the address of a page on GitHub leads to the file", async ({ playground }) => {
  const asked = await serveSite(playground.page);
  await playground.open("/#url=https://github.com/example/operator/blob/main/config/crd.yaml");
  await opened(playground, /github\.com\/example\/operator\/blob/);
  await expect(playground.page.locator("#source-about")).toHaveText("CRD from");
  expect(asked.map((request) => request.url())).toEqual(["https://raw.githubusercontent.com/example/operator/main/config/crd.yaml"]);
});

const failures: [about: string, path: string, problem: string, complaint: RegExp | undefined][] = [
  ["what is not there", "/nothing.yaml", "There is no file at https://files.example.com/nothing.yaml (status 404).", /404/],
  ["what is not public", "/private.yaml", "private.yaml is not public", /403/],
  ["what its server fails to send", "/broken.yaml", "files.example.com does not return", /500/],
  ["what other sites may not read", "/refused.yaml", "does not allow access from other sites (CORS)", /CORS|ERR_FAILED/],
  ["what is too large", "/large.yaml", "large.yaml is larger than 8 MiB.", undefined],
  ["a web page", "/page.html", "is a web page, not YAML", undefined],
  ["a picture", "/picture.png", "is not valid UTF-8", undefined],
  ["what holds no object", "/values.yaml", "contains no Kubernetes object", undefined],
];

for (const [about, path, problem, complaint] of failures) {
  test(`a link to ${about} says so, and all stays as it is`, async ({ playground, complaints }) => {
    const { page } = playground;
    await serveSite(page);
    await playground.open();
    await playground.paste("object", object("7"));
    await playground.stored("replicas: 7");
    await page.goto("about:blank");
    await playground.open(linkTo(path));
    await expect(page.locator("#notice")).toContainText(problem);
    await expect(page.locator("#source-note")).toBeHidden();
    await expect(playground.verdict("object")).toBeVisible();
    await expect(page.locator("#notice")).toContainText(problem);
    expect(await playground.text("object")).toContain("replicas: 7");
    if (complaint) expect(complaints.splice(0).every((text) => complaint.test(text))).toBe(true);

    await playground.paste("object", object("8"));
    await expect(page.locator("#notice")).toBeHidden();
  });
}

for (const address of ["http://files.example.com/crd.yaml", "javascript:window.pwned=1", "javascript://a%0awindow.pwned=1", "data:text/yaml,a: 1", "https://me:secret@files.example.com/crd.yaml", "two words", markup]) {
  test(`${address} is not fetched`, async ({ playground }) => {
    const asked: string[] = [];
    playground.page.on("request", (request) => asked.push(request.url()));
    await playground.open(`/#url=${encodeURIComponent(address)}`);
    await expect(playground.page.locator("#notice")).not.toBeEmpty();
    expect(asked.filter((url) => !url.startsWith(new URL(playground.page.url()).origin) && !url.startsWith("blob:"))).toEqual([]);
    await expect(playground.page.locator("#result img, #result script")).toHaveCount(0);
    expect(await playground.page.evaluate(() => "pwned" in window)).toBe(false);
  });
}

test("markup in an address stays text", async ({ playground }) => {
  const { page } = playground;
  await serveSite(page);
  await playground.open(linkTo(`/${encodeURIComponent(markup)}`));
  await expect(page.locator("#notice")).toContainText("contains no Kubernetes object");
  await expect(page.locator("img, script[src*=pwned]")).toHaveCount(0);
});

test("the dialog opens an address beside the present documents", async ({ playground, complaints }) => {
  const { page } = playground;
  await serveSite(page);
  await playground.open();
  await playground.paste("object", object("15"));
  await page.locator("#document-add").click();
  await page.locator("#address-open").click();
  await expect(page.locator("#address-input")).toBeFocused();
  await page.keyboard.type("http://files.example.com/crd.yaml");
  await page.keyboard.press("Enter");
  await expect(page.locator("#address-state")).toContainText("does not begin with https://");
  await page.locator("#address-input").fill(`${site}/nothing.yaml`);
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await expect(page.locator("#address-state")).toContainText("There is no file at");
  complaints.splice(0);
  await page.locator("#address-input").fill("files.example.com/crd.yaml");
  await page.keyboard.press("Enter");
  await expect(page.locator("#address")).toBeHidden();
  await opened(playground, /CRD from/);
  await expect(playground.verdict("object")).toHaveAttribute("data-state", "rejected");
  await expect(page).toHaveURL(/#1=/);
  expect(await playground.text("object")).toContain("replicas: 15");

  // The CRD had no editor before.
  await playground.showDocument("crd");
  await expect(playground.editor("crd")).toContainText("many replicas need an image");
  await playground.editor("crd").focus();
  await page.keyboard.press("ControlOrMeta+z");
  await expect(playground.editor("crd")).not.toContainText("many replicas need an image");
  await expect(playground.editor("crd")).toContainText("kind: CustomResourceDefinition");
  await expect(page.locator("#source-note")).toBeHidden();
});

test("closing the dialog cancels a slow download", async ({ playground }) => {
  const { page } = playground;
  await page.route(`${site}/**`, () => {});
  await playground.open();
  await page.locator("#document-add").click();
  await page.locator("#address-open").click();
  await page.keyboard.type(`${site}/crd.yaml`);
  await page.keyboard.press("Enter");
  await expect(page.locator("#address-state")).toHaveText("Fetching…");
  await expect(page.locator("#source-note")).toContainText("Fetching");
  await page.keyboard.press("Escape");
  await expect(page.locator("#source-note")).toBeHidden();
  await page.locator("#document-add").click();
  await page.locator("#address-open").click();
  await page.locator("#address-input").fill("http://files.example.com");
  await page.keyboard.press("Enter");
  await expect(page.locator("#address-state")).toContainText("cannot be opened");
  await page.getByRole("button", { name: "Close" }).click();
  await expect(page.locator("#notice")).toBeHidden();
});
