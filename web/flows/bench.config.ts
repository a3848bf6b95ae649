import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

// Playwright's own trace takes time of the page.
export default defineConfig({
  ...config,
  testMatch: "*.bench.ts",
  timeout: 900_000,
  retries: 0,
  reporter: [["dot"]],
  use: { ...config.use, trace: "off" },
});
