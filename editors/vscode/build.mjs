// Writes the extension into dist/vscode, which vsce packages and VS Code can run.
//
//   VERSION=v1.2.3 node build.mjs
//
// A version that is no release, such as a commit, becomes 0.0.0.

import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const here = import.meta.dirname;
const root = join(here, "..", "..");
const target = join(root, "dist", "vscode");

rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
await build({
  entryPoints: [join(here, "src", "extension.ts")],
  outfile: join(target, "extension.cjs"),
  bundle: true,
  minify: true,
  platform: "node",
  // Of the oldest VS Code that package.json permits.
  target: "node20",
  format: "cjs",
  external: ["vscode"],
});
copyFileSync(join(here, "README.md"), join(target, "README.md"));
for (const name of ["LICENSE", "THIRD_PARTY_NOTICES"]) copyFileSync(join(root, name), join(target, name));
copyFileSync(join(root, "docs", "light.png"), join(target, "playground.png"));

const { scripts: _, dependencies: __, devDependencies: ___, ...manifest } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
manifest.version = /^v?(\d+\.\d+\.\d+)$/.exec(process.env.VERSION ?? "")?.[1] ?? "0.0.0";
writeFileSync(join(target, "package.json"), JSON.stringify(manifest, null, 2) + "\n");
