import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const source = (name: string): string => fileURLToPath(new URL(`src/${name}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../node_modules/.vite", import.meta.url)),
  // The server may put the site anywhere, so the files find each other relatively.
  base: "./",
  build: {
    target: "es2023",
    manifest: "manifest.json",
    // The content policy allows no data: addresses.
    assetsInlineLimit: 0,
    modulePreload: false,
    rolldownOptions: {
      input: ["main.ts", "engine/first.ts", "theme.ts", "offline/service-worker.ts"].map(source),
    },
  },
  worker: { format: "es" },
});
