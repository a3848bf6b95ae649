// Compares the sizes of a static site with its budgets.
//
//   node site-size.mjs DIRECTORY MAX
//
// MAX is the budget of all files together, in bytes.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The largest file that Cloudflare Pages and similar hosts accept, in bytes. */
const maxFile = 25 << 20;

const [directory, max] = process.argv.slice(2);
const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const sizes = files.map((entry) => {
  const path = join(entry.parentPath, entry.name);
  return { path, size: statSync(path).size };
});
const total = sizes.reduce((sum, { size }) => sum + size, 0);
const large = sizes.filter(({ size }) => size >= maxFile);
for (const { path, size } of large) console.error(`${path} has ${size} bytes; static hosts accept less than ${maxFile}`);
if (total > Number(max)) console.error(`${directory} has ${total} bytes, more than ${max}`);
console.log(`${directory}: ${sizes.length} files, ${(total / 1e6).toFixed(1)} MB of at most ${(Number(max) / 1e6).toFixed(0)} MB`);
if (large.length > 0 || total > Number(max)) process.exitCode = 1;
