// Makes the module file with which the engine is built for WebAssembly.
//
//   node trim.mjs MODFILE
//
// MODFILE is go.mod with Kubernetes' modules replaced by copies, in directories
// beside MODFILE. They lack what no page needs and what would otherwise triple
// the engine, since whatever is registered somewhere, or could be encoded, is
// linked with all its methods:
//
// - Protocol Buffers and CBOR: what users type is YAML or JSON.
// - k8s.io/api registers the types of few groups in schemes, and most types lack
//   their descriptions.
// - k8s.io/client-go has the clients and informers of few groups: the
//   admission plugins name the interface of all clients, and with it all types.
// - k8s.io/apiserver calls webhooks without proxies, k8s.io/component-base sends
//   no traces and has no collectors of metrics, and k8s.io/kube-openapi does not
//   read gnostic's models: none of them would be used.
//
// Nothing else in the copies differs. Native builds use the modules as they
// are; what is missing here does not compile if something comes to need it.

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

/** Takes the methods that encode Protocol Buffers out of generated code and what goes with it. */
function withoutProtobuf(name, text) {
  if (!/(^|\/)(generated\.pb|\w+_proto|fieldsv1)\.go$/.test(name)) return text;
  // The serializers look at lists themselves.
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

/** Changes text, which has to match the pattern. */
function edit(text, pattern, replacement) {
  if (text.search(pattern) < 0) throw new Error(`${pattern} is not there any more: adapt trim.mjs`);
  return text.replace(pattern, replacement);
}

/**
 * Keeps, of what the types of a package say of themselves, that which the engine
 * tells those who write admission texts: all of it would be in the way of the start.
 */
function described(group, text) {
  if (["admission/v1", "admissionregistration/v1"].includes(group)) return text;
  if (group !== "core/v1") return undefined;
  const types = "Namespace|NamespaceSpec|ConfigMap|Secret";
  text = text.replace(new RegExp(`^var map_(?!(?:${types}) )\\w+ = [^]*?^}\n`, "gm"), "");
  return text.replace(new RegExp(`^func \\((?!(?:${types})\\))\\w+\\) SwaggerDoc[^]*?^}\n`, "gm"), "");
}

/** Takes out of a file of k8s.io/api what few groups need; undefined if it is the whole file. */
function trimApi(name, text) {
  if (basename(name) === "types_swagger_doc_generated.go") return described(dirname(name), text);
  text = withoutProtobuf(name, text);
  // What the engine decodes or encodes by way of a scheme.
  const registered = ["admission/v1", "admission/v1beta1", "admissionregistration/v1", "autoscaling/v1"];
  if (registered.includes(dirname(name))) return text;
  // What is common to all groups stays registered: OpenAPI documents list it.
  return name.endsWith("/register.go") ? text.replace(/^\tscheme\.AddKnownTypes\((?:[^()]|\([^()]*\))*\)\n/gm, "") : text;
}

function trimMachinery(name, text) {
  // The serializers know their own envelope as Protocol Buffers.
  if (dirname(name) !== "pkg/runtime") text = withoutProtobuf(name, text);
  switch (name) {
    case "pkg/runtime/serializer/cbor/direct/direct.go":
      text = edit(text, /import \([^)]*\)/, 'import "errors"\n\nvar errLeftOut = errors.New("CBOR is left out of this build")');
      text = edit(text, /return modes\.Encode.*/, "return nil, errLeftOut");
      text = edit(text, /return modes\.Decode.*/, "return errLeftOut");
      return edit(text, /return modes\.Diagnostic.*/, 'return "", errLeftOut');
    case "pkg/util/net/http.go":
      // As a variable it would be linked wherever the package is.
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

/** Takes the groups that admission plugins do not look at out of the clients and informers. */
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
