import { defineConfig } from "@playwright/test";

// Playwright only runs these tests. It cannot drive the systems' Firefox and WebKit, see
// browsers.ts.
export default defineConfig({
  testDir: ".",
  testMatch: "*.browsers.ts",
  outputDir: "../../test-results",
  workers: 2,
  fullyParallel: true,
  retries: process.env.CI ? 2 : 0,
  timeout: 180_000,
  expect: { timeout: 60_000 },
  reporter: [["list"]],
});
