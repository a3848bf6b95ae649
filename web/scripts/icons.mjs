// Makes the page installable: adds its icons to Vite's output in web/dist and
// writes the web app manifest that lists them.
//
//   node icons.mjs

import { Resvg, initWasm } from "@resvg/resvg-wasm";
import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";

const web = join(import.meta.dirname, "..");
const dist = join(web, "dist");

await initWasm(readFile(createRequire(import.meta.url).resolve("@resvg/resvg-wasm/index_bg.wasm")));

const icons = [
  await draw("icon.svg", 192, "any"),
  await draw("icon.svg", 512, "any"),
  await draw("icon-maskable.svg", 512, "maskable"),
];
await writeFile(join(dist, "app.webmanifest"), JSON.stringify({
  name: "crdlab",
  short_name: "crdlab",
  description: "See what a Kubernetes API server would do with a CustomResourceDefinition and an object, and why.",
  id: "./",
  start_url: "./",
  scope: "./",
  display: "standalone",
  background_color: "#f7f7f5",
  theme_color: "#ffffff",
  categories: ["developer", "utilities"],
  icons: [await vector("icon.svg", "any"), ...icons],
}, undefined, 2) + "\n");

/** Renders a picture as PNG with a width in pixels. */
async function draw(source, width, purpose) {
  const svg = await readFile(join(web, "src", source), "utf8");
  const png = new Resvg(svg, { fitTo: { mode: "width", value: width } }).render().asPng();
  return { src: await keep(`${purpose}-${width}`, "png", png), sizes: `${width}x${width}`, type: "image/png", purpose };
}

/** The SVG itself, for browsers that support it. */
async function vector(source, purpose) {
  const svg = await readFile(join(web, "src", source));
  return { src: await keep(purpose, "svg", svg), sizes: "any", type: "image/svg+xml", purpose };
}

/** Adds a file to the assets, whose names contain a hash of their content. */
async function keep(name, extension, content) {
  const hash = createHash("sha256").update(content).digest("base64url").slice(0, 10);
  const path = `assets/app-${name}-${hash}.${extension}`;
  await mkdir(join(dist, "assets"), { recursive: true });
  await writeFile(join(dist, path), content);
  return path;
}
