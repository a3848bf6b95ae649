// Makes the module file with which the engine is built for WebAssembly.
//
//   node trim.mjs MODFILE
//
// MODFILE is go.mod with k8s.io/api and k8s.io/client-go replaced by copies, in
// directories beside MODFILE. They lack what no CRD needs and what would
// otherwise more than double the module:
//
// - k8s.io/api registers the types of few groups in schemes, and has no
//   Protocol Buffers of the others: whatever is registered, or could be
//   encoded, is linked with all its methods.
// - k8s.io/client-go has the clients and informers of few groups: the
//   admission plugins name the interface of all clients, and with it all types.
//
// Nothing else in the copies differs. Native builds use the modules as they
// are; what is missing here does not compile if something comes to need it.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const [modfile] = process.argv.slice(2);
const modules = { "k8s.io/api": trimApi, "k8s.io/client-go": trimClient };
const replacements = Object.entries(modules).map(([path, trim]) => copyModule(path, trim));
copyFileSync("go.sum", modfile.replace(/\.mod$/, ".sum"));
writeFileSync(modfile, [readFileSync("go.mod", "utf8"), ...replacements].join("\n"));

/** Copies a module, each file as trim returns it, and gives the line that replaces the module. */
function copyModule(path, trim) {
  const original = download(path);
  const copy = join(dirname(modfile), basename(path));
  rmSync(copy, { recursive: true, force: true });
  let changed = 0;
  for (const name of readdirSync(original, { recursive: true })) {
    if (name !== "go.mod" && !/(?<!_test)\.go$/.test(name)) continue;
    const text = readFileSync(join(original, name), "utf8");
    const trimmed = trim(name, text);
    if (trimmed !== text) changed++;
    if (trimmed === undefined) continue;
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    writeFileSync(join(copy, name), trimmed);
  }
  if (changed === 0) throw new Error(`${original} is not written as trim.mjs expects`);
  return `replace ${path} => ./${relative(".", copy)}\n`;
}

/** The directory of a module; a machine that never built the engine has to fetch it first. */
function download(path) {
  return JSON.parse(execFileSync("go", ["mod", "download", "-json", path], { encoding: "utf8" })).Dir;
}

/** Takes out of a file of k8s.io/api what few groups need; undefined if it is the whole file. */
function trimApi(name, text) {
  const group = dirname(name);
  // What the engine decodes or encodes by way of a scheme.
  const registered = ["admission/v1", "admission/v1beta1", "admissionregistration/v1", "autoscaling/v1"];
  if (registered.includes(group)) return text;
  // Another package's Protocol Buffers are compiled against these.
  if (basename(name) === "generated.pb.go" && group !== "authentication/v1") return undefined;
  return text.replace("runtime.NewSchemeBuilder(addKnownTypes)", "runtime.NewSchemeBuilder()");
}

/** Takes the groups that admission plugins do not look at out of the clients and informers. */
function trimClient(name, text) {
  if (!["kubernetes/clientset.go", "informers/factory.go", "informers/generic.go"].includes(name)) return text;
  const imports = /^\t(\w+) "k8s\.io\/(?:api|client-go\/kubernetes\/typed|client-go\/informers)\/(\w+)(?:\/\w+)?"\n/gm;
  for (const [line, alias, group] of [...text.matchAll(imports)]) {
    if (["admissionregistration", "apiserverinternal", "core", "internalinterfaces"].includes(group)) continue;
    text = without(text.replace(line, ""), alias);
  }
  return text;
}

/** Takes what mentions the package that is imported as alias out of generated code. */
function without(text, alias) {
  const uses = `[^\\n]*\\b${alias}\\.[^\\n]*\\n`;
  const failure = "\\tif err != nil \\{\\n\\t\\treturn nil, err\\n\\t\\}\\n";
  const patterns = [
    `(?:^//[^\\n]*\\n)*^func ${uses}(?:\\t[^\\n]*\\n)*^\\}\\n+`,
    `^\\tcase ${uses}\\t\\treturn[^\\n]*\\n`,
    `^\\t${uses}${failure}`,
    `^\\t${uses}`,
  ];
  return patterns.reduce((rest, pattern) => rest.replace(new RegExp(pattern, "gm"), ""), text);
}
