import { defineConfig, type LaunchOptions } from "@playwright/test";

// Chromium is the system's; it needs --no-sandbox as root, as in containers.
export const launchOptions = {
  executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
  ],
} satisfies LaunchOptions;

// Optimizing the engine lasts longer than most flows. With this budget, Chromium optimizes
// only long evaluations.
const optimizeLater = "--js-flags=--wasm-tiering-budget=130000000";

// Each worker starts its own server (see playground.ts) and its own browser.
export default defineConfig({
  testDir: ".",
  testMatch: "*.flow.ts",
  outputDir: "../../test-results",
  workers: 2,
  fullyParallel: true,
  // A flow that fails once in ten runs shows a fault of the page or of the flow.
  retries: 0,
  timeout: 120_000,
  expect: { timeout: 40_000 },
  reporter: [["list"]],
  use: {
    // A trace takes a quarter of the time, so only repeated and nightly runs write it.
    trace: "off",
    screenshot: "only-on-failure",
    // Service workers would intercept the requests that flows simulate.
    serviceWorkers: "block",
    launchOptions: { ...launchOptions, args: [...launchOptions.args, optimizeLater] },
  },
});
