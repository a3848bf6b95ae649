import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Readable } from "node:stream";
import puppeteer from "puppeteer-core";
import { Builder, By, Capabilities, Key } from "selenium-webdriver";

// The browsers are the system's. Playwright drives only its own builds of WebKit, and only
// the newest Firefox. So Puppeteer drives Firefox with WebDriver BiDi, which requires no
// geckodriver, and Selenium drives WebKitGTK with WebDriver.

/** WebDriver's codes of keys, by their names in KeyboardEvent.key. */
const keys = { ArrowLeft: Key.ARROW_LEFT, End: Key.END, Escape: Key.ESCAPE };
type NamedKey = keyof typeof keys;

/** A browser other than Chromium, with one open page. */
export interface OtherBrowser {
  open(address: string): Promise<void>;
  reload(): Promise<void>;
  /** Clicks the center of the first element. */
  click(selector: string): Promise<void>;
  type(text: string): Promise<void>;
  press(key: NamedKey): Promise<void>;
  pressWithControl(key: NamedKey): Promise<void>;
  /** Evaluates a JavaScript expression in the page, and waits for a promise. */
  read<T>(expression: string): Promise<T>;
  stop(): Promise<void>;
}

const firefox = process.env["FIREFOX"] ?? "/usr/bin/firefox-esr";
const webKitDriver = "/usr/bin/WebKitWebDriver";
/** WebKitGTK's own browser, which the driver starts. */
const miniBrowser = process.env["MINIBROWSER"] ?? "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser";
const displayServer = "/usr/bin/Xvfb";

/** The browsers by name, with the programs that each requires. */
export const otherBrowsers = {
  Firefox: { start: startFirefox, programs: [firefox] },
  WebKit: { start: startWebKit, programs: [webKitDriver, miniBrowser, displayServer] },
} as const;

async function startFirefox(): Promise<OtherBrowser> {
  const browser = await puppeteer.launch({ browser: "firefox", executablePath: firefox, headless: true });
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  return {
    open: async (address) => {
      await page.goto(address);
    },
    reload: async () => {
      await page.reload();
    },
    click: async (selector) => page.click(selector),
    type: async (text) => page.keyboard.type(text),
    press: async (key) => page.keyboard.press(key),
    pressWithControl: async (key) => {
      await page.keyboard.down("Control");
      await page.keyboard.press(key);
      await page.keyboard.up("Control");
    },
    read: async <T>(expression: string) => (await page.evaluate(expression)) as T,
    stop: async () => browser.close(),
  };
}

/** WebKitGTK has no headless mode, so the browser gets a display of its own. */
async function startWebKit(): Promise<OtherBrowser> {
  const display = spawn(displayServer, ["-displayfd", "3", "-screen", "0", "1400x1000x24", "-nolisten", "tcp"], { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const [number] = (await started(display, once(display.stdio[3] as Readable, "data"))) as [Buffer];
  const port = await freePort();
  const driver = spawn(webKitDriver, ["--host=127.0.0.1", `--port=${port}`], { stdio: "ignore", env: { ...process.env, DISPLAY: `:${number.toString().trim()}` } });
  const stop = async (): Promise<void> => {
    for (const program of [driver, display]) await ended(program);
  };
  try {
    await started(driver, answer(port));
    const options = { binary: miniBrowser, args: ["--automation"] };
    const session = await new Builder().usingServer(`http://127.0.0.1:${port}`).withCapabilities(new Capabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": options })).build();
    await session.manage().window().setRect({ width: 1300, height: 900 });
    return {
      open: async (address) => session.get(address),
      reload: async () => session.navigate().refresh(),
      click: async (selector) => session.findElement(By.css(selector)).click(),
      type: async (text) => session.actions().sendKeys(text).perform(),
      press: async (key) => session.actions().sendKeys(keys[key]).perform(),
      pressWithControl: async (key) => session.actions().keyDown(Key.CONTROL).sendKeys(keys[key]).keyUp(Key.CONTROL).perform(),
      read: async <T>(expression: string) => (await session.executeScript(`return (${expression})`)) as T,
      stop: async () => {
        await session.quit();
        await stop();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits for a promise, and fails if the program ends first or cannot start. */
async function started<T>(program: ChildProcess, ready: Promise<T>): Promise<T> {
  const name = program.spawnfile;
  const end = once(program, "exit").then(([code]) => {
    throw new Error(`${name} ended with ${String(code)}`);
  });
  end.catch(() => undefined);
  return Promise.race([ready, end]);
}

async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const end = once(program, "exit");
  program.kill();
  await end;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until a WebDriver server is ready. */
async function answer(port: number): Promise<void> {
  for (;;) {
    try {
      const { ok } = await fetch(`http://127.0.0.1:${port}/status`);
      if (ok) return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
