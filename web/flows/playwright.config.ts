import { defineConfig } from "@playwright/test";

// Each worker starts a server of its own (see playground.ts). Chromium is the
// system's; running as root, as containers do, needs --no-sandbox.
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
    // They would answer what flows answer in the network's place.
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
