import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

// Playwright's own trace would slow the page down.
export default defineConfig({
  ...config,
  testMatch: "*.bench.ts",
  timeout: 900_000,
  retries: 0,
  reporter: [["dot"]],
  use: { ...config.use, trace: "off" },
});
