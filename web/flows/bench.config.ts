import { defineConfig } from "@playwright/test";
import config from "./playwright.config";

export default defineConfig({ ...config, testMatch: "*.bench.ts", timeout: 900_000, reporter: [["line"]] });
