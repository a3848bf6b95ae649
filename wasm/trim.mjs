// Makes the module file with which the engine is built for WebAssembly.
//
//   node trim.mjs MODFILE
//
// MODFILE is go.mod with k8s.io/api replaced by a copy, in the directory api
// beside MODFILE, whose types are there but mostly neither registered in
// schemes nor encoded as Protocol Buffers: Pods, Deployments and the hundreds
// of others that no CRD needs would otherwise double the module. Nothing else
// in the copy differs, and native builds use k8s.io/api as it is.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const [modfile] = process.argv.slice(2);

/** The groups whose types the engine decodes or encodes by way of a scheme. */
const registered = new Set(["admission/v1", "admission/v1beta1", "admissionregistration/v1", "autoscaling/v1"]);

/** The groups whose Protocol Buffers other packages are compiled against. */
const encoded = new Set([...registered, "authentication/v1"]);

const registration = "runtime.NewSchemeBuilder(addKnownTypes)";
const encoding = "generated.pb.go";

const original = execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", "k8s.io/api"], { encoding: "utf8" }).trim();
const copy = join(dirname(modfile), "api");
rmSync(copy, { recursive: true, force: true });
const files = readdirSync(original, { recursive: true }).filter((name) => name === "go.mod" || /(?<!_test)\.go$/.test(name));
const kept = files.filter((name) => basename(name) !== encoding || encoded.has(dirname(name)));
const trimmed = kept.filter(copyTrimmed);
if (kept.length === files.length || trimmed.length === 0) {
  throw new Error(`${original} has no ${encoding} or does not register types by ${registration}`);
}
copyFileSync("go.sum", modfile.replace(/\.mod$/, ".sum"));
writeFileSync(modfile, `${readFileSync("go.mod", "utf8")}\nreplace k8s.io/api => ./${relative(".", copy)}\n`);

/** Copies a file less the registration of types; reports whether it had one. */
function copyTrimmed(name) {
  const text = readFileSync(join(original, name), "utf8");
  const trims = text.includes(registration) && !registered.has(dirname(name));
  mkdirSync(dirname(join(copy, name)), { recursive: true });
  writeFileSync(join(copy, name), trims ? text.replace(registration, "runtime.NewSchemeBuilder()") : text);
  return trims;
}
