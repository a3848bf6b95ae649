import { defineConfig } from "@playwright/test";

// Each worker starts its own server (see playground.ts). Chromium is the system's;
// it needs --no-sandbox as root, as in containers.
export default defineConfig({
  testDir: ".",
  testMatch: "*.flow.ts",
  outputDir: "../../test-results",
  workers: 1,
  retries: process.env.CI ? 2 : 0,
  timeout: 120_000,
  expect: { timeout: 40_000 },
  reporter: [["list"]],
  use: {
    trace: "retain-on-failure",
    // Service workers would intercept the requests that flows simulate.
    serviceWorkers: "block",
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
});
