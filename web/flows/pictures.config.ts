import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

export default defineConfig({
  ...config,
  testMatch: "*.picture.ts",
  retries: 0,
  use: { ...config.use, trace: "off" },
});
