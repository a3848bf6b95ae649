import { fileURLToPath } from "node:url";
import { defineConfig } from "vite";

const source = (name: string): string => fileURLToPath(new URL(`src/${name}`, import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  cacheDir: fileURLToPath(new URL("../node_modules/.vite", import.meta.url)),
  // The server may serve the site below any path, so files refer to each other relatively.
  base: "./",
  build: {
    target: "es2023",
    manifest: "manifest.json",
    // The content security policy forbids data: addresses.
    assetsInlineLimit: 0,
    // In kB; quality.flow.ts limits what a visit downloads.
    chunkSizeWarningLimit: 600,
    modulePreload: false,
    rolldownOptions: {
      input: ["main.ts", "engine/started.ts", "theme.ts", "site.ts", "schema.ts", "offline/service-worker.ts", "crd-lab.ts"].map(source),
      // Other sites load the element from an address that never changes.
      output: { entryFileNames: ({ name }) => (name === "crd-lab" ? "crd-lab.js" : "assets/[name]-[hash].js") },
    },
  },
  worker: { format: "es" },
});
