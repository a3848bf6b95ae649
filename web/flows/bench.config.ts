import { defineConfig } from "@playwright/test";
import config, { launchOptions } from "./playwright.config";

// Playwright's own trace would slow the page down, and so would a second worker. Users'
// browsers optimize the engine by their own rules.
export default defineConfig({
  ...config,
  testMatch: "*.bench.ts",
  workers: 1,
  timeout: 1_800_000,
  retries: 0,
  reporter: [["dot"]],
  use: { ...config.use, trace: "off", launchOptions },
});
