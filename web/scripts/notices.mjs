// Prints the licences of everything that is shipped: the Go packages in the server,
// the engine and the Worker, and the npm packages in the page and in the
// extension for VS Code.
//
//   node notices.mjs > THIRD_PARTY_NOTICES

import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const isLicence = (name) => /^(licen[cs]e|copying|notice|patents)/i.test(name) && !/\.go$/.test(name);

// The shipped builds; fixed settings give the same list on every machine.
const builds = [
  { package: "./cmd/crdlab", env: { GOOS: "linux", GOARCH: "amd64", CGO_ENABLED: "0" }, tags: "" },
  { package: "./wasm", env: { GOOS: "js", GOARCH: "wasm", CGO_ENABLED: "0" }, tags: "grpcnotrace" },
  { package: "./cmd/worker", env: { GOOS: "js", GOARCH: "wasm", CGO_ENABLED: "0" }, tags: "grpcnotrace" },
];

function run(command, args, env = {}) {
  return execFileSync(command, args, {
    cwd: root,
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** Finds the licence files in a directory and its parents, up to the top. */
function licencesUpTo(directory, top) {
  const here = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isLicence(entry.name))
    .map((entry) => join(directory, entry.name));
  return directory === top ? here : [...licencesUpTo(dirname(directory), top), ...here];
}

/** Lists the modules of a build. */
function goModules({ package: name, env, tags }) {
  return modulesOf(["-deps", "-tags", tags, name], env);
}

/** Lists the modules whose declarations internal/gotypes/known has. */
function knownModules() {
  const directory = join(root, "internal/gotypes/known");
  const text = readdirSync(directory).map((name) => readFileSync(join(directory, name), "utf8")).join("");
  const names = Array.from(text.matchAll(/^-- (.*)\/[^/]+ --$/gm), ([, name]) => name);
  return modulesOf(["-C", "internal/devtools/knowntypes", ...new Set(names)]);
}

/** Lists the modules of the packages that "go list" lists, each with its licence files. */
function modulesOf(args, env) {
  const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}";
  const at = args[0] === "-C" ? args.splice(0, 2) : [];
  const lines = run("go", ["list", ...at, "-f", format, ...args], env);
  return lines.split("\n").filter(Boolean).map((line) => {
    const [name, version, top, directory] = line.split("\t");
    return { name: `${name} ${version}`, top, files: licencesUpTo(directory, top) };
  });
}

function goItself() {
  const top = run("go", ["env", "GOROOT"]).trim();
  return { name: "Go (standard library, run time and wasm_exec.js)", top, files: licencesUpTo(top, top) };
}

/** Lists the npm packages that a directory ships. */
function npmPackages(directory) {
  const directories = run("npm", ["ls", "--omit=dev", "--all", "--parseable", "--prefix", directory]).split("\n").slice(1).filter(Boolean);
  return directories.map((top) => {
    const { name, version } = JSON.parse(readFileSync(join(top, "package.json"), "utf8"));
    return { name: `${name} ${version}`, top, files: licencesUpTo(top, top) };
  });
}

/** Merges packages into components by name, with all their licence files. */
function merge(components) {
  const byName = new Map();
  for (const component of components) {
    const known = byName.get(component.name) ?? { ...component, files: [] };
    known.files = [...new Set([...known.files, ...component.files])];
    byName.set(component.name, known);
  }
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

const components = merge([goItself(), ...builds.flatMap(goModules), ...knownModules(), ...npmPackages("."), ...npmPackages("editors/vscode")]);
const unlicensed = components.filter((component) => component.files.length === 0);
if (unlicensed.length > 0) {
  console.error(`no licence file found for: ${unlicensed.map((component) => component.name).join(", ")}`);
  process.exit(1);
}

// Most components have the same licence text, apart from line breaks.
const texts = new Map();
for (const component of components) {
  for (const file of component.files) {
    const text = readFileSync(file, "utf8").replace(/\r\n/g, "\n").replace(/[ \t]+$/gm, "").replace(/^\n+|\n+$/g, "");
    const key = text.replace(/\s+/g, " ");
    if (!texts.has(key)) texts.set(key, { text, users: [] });
    const inside = relative(component.top, file);
    texts.get(key).users.push(inside.includes("/") ? `${component.name} (${inside})` : component.name);
  }
}

const line = "=".repeat(80);
console.log(`crdlab is licensed under the Apache License, Version 2.0; see LICENSE.
Its server, its WebAssembly modules, its page and its extension for VS Code contain the software below.`);
for (const { text, users } of texts.values()) {
  console.log(`\n${line}\n${[...new Set(users)].join("\n")}\n${line}\n\n${text}`);
}
