// Compares the size of a built module with its budget. If the module exceeds it, the
// script lists the packages with the most code.
//
//   node size.mjs FILE MAX GZIP_MAX [BROTLI_MAX]
//
// FILE is the module. FILE.gz and FILE.br must exist.
// The limits are in bytes. The environment must be the same as for the build.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Reader, readSections, sectionID } from "./sections.mjs";

const [file, max, gzipMax, brotliMax = Infinity] = process.argv.slice(2);
const command = basename(file) === "gotypes.wasm" ? "./wasm/gotypes" : "./wasm";
const size = (name) => statSync(name).size;
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Returns the packages with the size of their functions in bytes, in descending order. */
function codeByPackage() {
  const { names, sizes } = functions(readFileSync(withNames()));
  const packageOf = packageFinder();
  const sums = new Map();
  sizes.forEach((bytes, index) => {
    const name = packageOf(names.get(index) ?? "");
    sums.set(name, (sums.get(name) ?? 0) + bytes);
  });
  return [...sums].sort((a, b) => b[1] - a[1]);
}

function go(...args) {
  return execFileSync("go", args, { encoding: "utf8" });
}

/** Builds the module with function names. */
function withNames() {
  const directory = mkdtempSync(join(tmpdir(), "crdlab-size-"));
  process.on("exit", () => rmSync(directory, { recursive: true }));
  const module = join(directory, "engine.wasm");
  go("build", "-o", module, command);
  return module;
}

/** Returns a function that maps the linker's function names to packages. The linker replaces special characters by "_". */
function packageFinder() {
  const packages = go("list", "-deps", command).split("\n").filter(Boolean);
  const byMangled = new Map(packages.map((name) => [name.replace(/[^\w.]/g, "_"), name]));
  return (name) => {
    for (let end = name.lastIndexOf("."); end > 0; end = name.lastIndexOf(".", end - 1)) {
      const found = byMangled.get(name.slice(0, end));
      if (found !== undefined) return found;
    }
    return "(other)";
  };
}

/** Returns the sizes and the names of a module's functions by index. */
function functions(module) {
  const sizes = new Map();
  let names = new Map();
  let imported = 0;
  for (const { id, body } of readSections(module)) {
    const reader = new Reader(body);
    if (id === sectionID.import) imported = reader.number(); // Go imports functions only.
    if (id === sectionID.code) {
      for (let index = imported, last = imported + reader.number(); index < last; index++) {
        const bytes = reader.number();
        sizes.set(index, bytes);
        reader.at += bytes;
      }
    }
    if (id === sectionID.custom && reader.text() === "name") names = functionNames(reader);
  }
  return { names, sizes };
}

function functionNames(reader) {
  const names = new Map();
  while (!reader.atEnd()) {
    const id = reader.byte();
    const next = reader.number() + reader.at;
    if (id === 1) {
      for (let left = reader.number(); left > 0; left--) {
        const index = reader.number();
        names.set(index, reader.text());
      }
    }
    reader.at = next;
  }
  return names;
}

console.log(`${basename(file)}: ${megabytes(size(file))}, gzip ${megabytes(size(`${file}.gz`))}, brotli ${megabytes(size(`${file}.br`))}`);
if (size(file) > Number(max) || size(`${file}.gz`) > Number(gzipMax) || size(`${file}.br`) > Number(brotliMax)) {
  const packed = `${megabytes(gzipMax)} as gzip${brotliMax < Infinity ? `, ${megabytes(brotliMax)} as Brotli` : ""}`;
  console.error(`${basename(file)} exceeds its budget of ${megabytes(max)}, ${packed}. The most code is in:`);
  for (const [name, bytes] of codeByPackage().slice(0, 25)) {
    console.error(`${String(Math.round(bytes / 1000)).padStart(8)} kB  ${name}`);
  }
  process.exit(1);
}
