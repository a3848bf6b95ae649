// Writes the module file for WebAssembly builds of the engine.
//
//   node trim.mjs MODFILE
//
// MODFILE is a copy of go.mod that replaces the Kubernetes modules by trimmed copies in
// the same directory. Untrimmed, they would triple the size of the engine, because the
// linker keeps all methods of registered or encodable types. The copies omit:
//
// - Protocol Buffers and CBOR, because users write YAML or JSON
// - k8s.io/api: the scheme registrations of most groups, and most type descriptions
// - k8s.io/client-go: the clients and informers of most groups, which the interfaces of
//   the admission plugins would otherwise retain
// - k8s.io/apiserver: proxies for webhooks
// - k8s.io/component-base: tracing and metrics collectors
// - k8s.io/kube-openapi: the conversion from gnostic's models
//
// The copies do not differ otherwise. Native builds use the original modules. Code that
// needs an omitted part does not compile for WebAssembly.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const [modfile] = process.argv.slice(2);
const modules = {
  "k8s.io/api": trimApi,
  "k8s.io/apiextensions-apiserver": withoutProtobuf,
  "k8s.io/apimachinery": trimMachinery,
  "k8s.io/apiserver": trimServer,
  "k8s.io/client-go": trimClient,
  "k8s.io/component-base": trimBase,
  "k8s.io/kube-openapi": (name, text) => (name === "pkg/validation/spec/gnostic.go" ? undefined : text),
};
const replacements = Object.entries(modules).map(([path, trim]) => copyModule(path, trim));
copyFileSync("go.sum", modfile.replace(/\.mod$/, ".sum"));
writeFileSync(modfile, [readFileSync("go.mod", "utf8"), ...replacements].join("\n"));

/** Copies a module, applies trim to each file, and returns the replace directive. */
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
  if (changed === 0) throw new Error(`${original} has no code that trim.mjs recognizes`);
  return `replace ${path} => ./${relative(".", copy)}\n`;
}

/** Downloads a module if necessary and returns its directory. */
function download(path) {
  return JSON.parse(execFileSync("go", ["mod", "download", "-json", path], { encoding: "utf8" })).Dir;
}

/** Removes the Protocol Buffers methods from generated code and related files. */
function withoutProtobuf(name, text) {
  if (!/(^|\/)(generated\.pb|\w+_proto|fieldsv1)\.go$/.test(name)) return text;
  // The serializers handle list metadata themselves.
  const methods = /^func \(\w+ \*?(?!(?:ListMeta|ShardInfo)\b)\w+\) (Marshal|MarshalTo|MarshalToSizedBuffer|Unmarshal|Size)\([^]*?^}\n/gm;
  return withoutUnusedImports(text.replace(methods, ""));
}

function withoutUnusedImports(text) {
  const end = text.indexOf("\n)\n");
  const code = text.slice(end).replace(/"(?:\\.|[^"\\\n])*"|\/\/.*/g, "");
  const imports = text.slice(0, end + 1).replace(/^\t(?:(\w+) )?"([^"\n]+)"\n/gm, (line, alias, path) => {
    const name = alias ?? basename(path.replace(/\/v\d+$/, ""));
    return new RegExp(`\\b${name}\\.`).test(code) ? line : "";
  });
  return imports + text.slice(end + 1);
}

/** Replaces the pattern, which must match. */
function edit(text, pattern, replacement) {
  if (text.search(pattern) < 0) throw new Error(`${pattern} does not match any more: adapt trim.mjs`);
  return text.replace(pattern, replacement);
}

/**
 * Keeps only the type descriptions that the engine shows in admission documents.
 * The remaining descriptions would delay the start.
 */
function trimDescriptions(group, text) {
  if (["admission/v1", "admissionregistration/v1"].includes(group)) return text;
  if (group !== "core/v1") return undefined;
  const types = "Namespace|NamespaceSpec|ConfigMap|Secret";
  text = text.replace(new RegExp(`^var map_(?!(?:${types}) )\\w+ = [^]*?^}\n`, "gm"), "");
  return text.replace(new RegExp(`^func \\((?!(?:${types})\\))\\w+\\) SwaggerDoc[^]*?^}\n`, "gm"), "");
}

/** Trims a file of k8s.io/api, or returns undefined to omit the file. */
function trimApi(name, text) {
  if (basename(name) === "types_swagger_doc_generated.go") return trimDescriptions(dirname(name), text);
  text = withoutProtobuf(name, text);
  // The engine decodes or encodes these groups with a scheme.
  const registered = ["admission/v1", "admission/v1beta1", "admissionregistration/v1", "autoscaling/v1"];
  if (registered.includes(dirname(name))) return text;
  // Types common to all groups stay registered, because OpenAPI documents list them.
  return name.endsWith("/register.go") ? text.replace(/^\tscheme\.AddKnownTypes\((?:[^()]|\([^()]*\))*\)\n/gm, "") : text;
}

function trimMachinery(name, text) {
  // The serializers need the Protocol Buffers form of their own envelope.
  if (dirname(name) !== "pkg/runtime") text = withoutProtobuf(name, text);
  switch (name) {
    case "pkg/runtime/serializer/cbor/direct/direct.go":
      text = edit(text, /import \([^)]*\)/, 'import "errors"\n\nvar errLeftOut = errors.New("CBOR is left out of this build")');
      text = edit(text, /return modes\.Encode.*/, "return nil, errLeftOut");
      text = edit(text, /return modes\.Decode.*/, "return errLeftOut");
      return edit(text, /return modes\.Diagnostic.*/, 'return "", errLeftOut');
    case "pkg/util/net/http.go":
      // The linker keeps a variable, but removes an unused function.
      text = edit(text, /\bdefaultTransport\./g, "defaultTransport().");
      return edit(text, /var defaultTransport = (.*)/, "func defaultTransport() *http.Transport { return $1 }");
  }
  return text;
}

function trimServer(name, text) {
  if (name === "pkg/admission/config.go") return undefined;
  text = withoutProtobuf(name, text);
  if (name !== "pkg/util/webhook/authentication.go") return text;
  text = edit(text, /^\/\/ NewDefaultAuthenticationInfoResolverWrapper [^]*?^}\n/m, "");
  return withoutUnusedImports(text);
}

function trimBase(name, text) {
  if (name === "tracing/utils.go") return undefined;
  if (name !== "metrics/legacyregistry/registry.go") return text;
  text = edit(text, /^\t.*prometheus\/collectors"\n/m, "");
  return edit(text, /^func init\(\) \{[^]*?^}\n/m, "");
}

/** Removes the clients and informers of groups that admission plugins do not use. */
function trimClient(name, text) {
  if (name === "rest/config.go") return withoutUnusedImports(edit(text, /, serializer\.WithSerializer\(cbor\.NewSerializerInfo\)/, ""));
  if (!["kubernetes/clientset.go", "informers/factory.go", "informers/generic.go"].includes(name)) return text;
  const imports = /^\t(\w+) "k8s\.io\/(?:api|client-go\/kubernetes\/typed|client-go\/informers)\/(\w+)(?:\/\w+)?"\n/gm;
  for (const [line, alias, group] of [...text.matchAll(imports)]) {
    if (["admissionregistration", "apiserverinternal", "core", "internalinterfaces"].includes(group)) continue;
    text = without(text.replace(line, ""), alias);
  }
  return text;
}

/** Removes the code that uses the package with this import alias from generated code. */
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
