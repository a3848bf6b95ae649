// Writes the module file for WebAssembly builds of the engine, or of the verdict module
// of an older release.
//
//   node trim.mjs MODFILE [ORIGINAL]
//
// MODFILE is a copy of ORIGINAL that replaces the Kubernetes modules by trimmed copies in
// the same directory. ORIGINAL is go.mod, or releases/1.31.mod for an older release. Untrimmed,
// the modules would triple the size of the engine, because the linker keeps all methods of
// registered or encodable types. The copies omit:
//
// - Protocol Buffers and CBOR, because users write YAML or JSON
// - connections: their certificates, credentials and kubeconfig files (see overlay.mjs)
// - k8s.io/api: the scheme registrations of most groups, and most type descriptions
// - k8s.io/client-go: discovery, and the clients and informers of most groups and types, which
//   the interfaces of the admission plugins would otherwise retain
// - k8s.io/apiserver: proxies for webhooks, and the types of audit logs
// - k8s.io/component-base: tracing and metrics collectors
// - k8s.io/kube-openapi: gnostic's models, and the conversion from them
//
// An older release needs more of the API server, so its modules keep connections, discovery, the
// versions and types of the kept groups, the proxies, audit logs, and gnostic's models. Instead,
// they omit etcd's client, the notification of systemd, the export of traces, and the tunnels to
// other networks.
//
// Two changes are not omissions. A number beyond 64-bit integers, such as a limit in
// k8s.io/kube-openapi or the value of a column in k8s.io/apiextensions-apiserver, is converted
// as on amd64, where nearly all API servers run. Go leaves the result to the architecture, and
// WebAssembly has another.
//
// Another change is a memo in k8s.io/apiextensions-apiserver (wasm/memoized-compile.go.txt): it
// compiles each CEL rule once. Upstream has no hook for it, and validation, which compiles all
// rules at each keystroke, would need most of the time.
//
// The copies do not differ otherwise. Native builds use the original modules. Code that
// needs an omitted part does not compile for WebAssembly, or returns an error.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

const [modfile, original = "go.mod"] = process.argv.slice(2);

/** The groups of k8s.io/client-go that the engine or the API server's own controllers use. */
const keptGroups = ["admissionregistration", "apiserverinternal", "core", "internalinterfaces"];
/** Their versions that only older releases use. */
const omittedVersions = original === "go.mod" ? ["admissionregistration/v1alpha1", "admissionregistration/v1beta1"] : [];
if (original !== "go.mod") keptGroups.push("authentication", "authorization", "coordination", "discovery", "events", "flowcontrol");

/** Registrations and descriptors, which the code generator added until Kubernetes 1.34. */
const olderProtobuf = [
  /^func init\(\) \{\n(?:\t\w*proto\.Register.*\n)+}\n/gm,
  /^func \(\w+ \*?\w+\) XXX_\w+\([^]*?^}\n/gm,
  /^func \(\*?\w+\) Descriptor\(\)[^]*?^}\n/gm,
  /^var xxx_messageInfo_.*\n/gm,
  /^var fileDescriptor_[^]*?^}\n/gm,
  /^var _ proto\.Sizer = .*\n/gm,
  /^(?:var|const) _ = (?:proto|fmt|math)\..*\n/gm,
];

const modules = original === "go.mod" ? {
  "k8s.io/api": trimApi,
  "k8s.io/apiextensions-apiserver": trimExtensions,
  "k8s.io/apimachinery": trimMachinery,
  "k8s.io/apiserver": trimServer,
  "k8s.io/client-go": trimPresentClient,
  "k8s.io/component-base": trimBase,
  "k8s.io/kube-openapi": trimOpenAPI,
} : {
  "k8s.io/api": trimApi,
  "k8s.io/apiextensions-apiserver": trimTables,
  "k8s.io/apimachinery": trimMachinery,
  "k8s.io/apiserver": trimOlderServer,
  "k8s.io/client-go": trimClient,
  "k8s.io/component-base": trimOlderBase,
  "k8s.io/kube-openapi": convertLimits,
};
const replacements = Object.entries(modules).map(([path, trim]) => copyModule(path, trim));
copyFileSync(original.replace(/\.mod$/, ".sum"), modfile.replace(/\.mod$/, ".sum"));
writeFileSync(modfile, [readFileSync(original, "utf8"), ...replacements].join("\n"));

/** Copies a module, applies trim to each file, and returns the replace directive. */
function copyModule(path, trim) {
  const source = download(path);
  const copy = join(dirname(modfile), basename(path));
  rmSync(copy, { recursive: true, force: true });
  let changed = 0;
  for (const name of readdirSync(source, { recursive: true })) {
    if (name !== "go.mod" && !/(?<!_test)\.go$/.test(name)) continue;
    const text = readFileSync(join(source, name), "utf8");
    const trimmed = trim(name, text);
    if (trimmed !== text) changed++;
    if (trimmed === undefined) continue;
    mkdirSync(dirname(join(copy, name)), { recursive: true });
    writeFileSync(join(copy, name), trimmed);
  }
  if (changed === 0) throw new Error(`${source} has no code that trim.mjs recognizes`);
  return `replace ${path} => ./${relative(".", copy)}\n`;
}

/** Trims like trimTables, and compiles each rule once. */
function trimExtensions(name, text) {
  text = trimTables(name, text);
  if (name !== "pkg/apiserver/schema/cel/compilation.go") return text;
  const memo = readFileSync(join(import.meta.dirname, "memoized-compile.go.txt"), "utf8");
  mkdirSync(join(dirname(modfile), "apiextensions-apiserver", dirname(name)), { recursive: true });
  writeFileSync(join(dirname(modfile), "apiextensions-apiserver", dirname(name), "memo.go"), memo);
  return edit(text, /^func Compile\(/m, "func compile(");
}

/** Omits gnostic's models, and converts limits as amd64 does. */
function trimOpenAPI(name, text) {
  switch (name) {
    case "pkg/validation/spec/gnostic.go":
    case "pkg/util/proto/document_v3.go":
      return undefined;
    case "pkg/util/proto/document.go":
      return withoutUnusedImports(edit(text, /^func .*\bopenapi_v2\.[^]*?^}\n/gm, ""));
    case "pkg/handler3/handler.go":
      text = edit(text, /(?<=^func ToV3ProtoBinary\(.*\n)[^]*?^}\n/m, '\treturn nil, fmt.Errorf("Protocol Buffers are left out of this build")\n}\n');
      return withoutUnusedImports(text);
  }
  return convertLimits(name, text);
}

function convertLimits(name, text) {
  return name === "pkg/validation/validate/values.go" ? convertAsOnAmd64(text, /\bint64(?=\((?:max|min|multipleOf)\))/g) : text;
}

/** Omits Protocol Buffers, and converts the values of columns as amd64 does. */
function trimTables(name, text) {
  if (name === "pkg/registry/customresource/tableconvertor/tableconvertor.go") return convertAsOnAmd64(text, /(?<=case float64:\s+return )int64\b/);
  return withoutProtobuf(name, text);
}

/** Replaces conversions of numbers to integers by one that has the same result on all architectures. */
function convertAsOnAmd64(text, conversion) {
  return `${edit(text, conversion, "amd64Int64")}
// amd64Int64 converts like amd64, where numbers beyond the range become the smallest integer.
func amd64Int64(v float64) int64 {
	if v >= -1<<63 && v < 1<<63 {
		return int64(v)
	}
	return -1 << 63
}
`;
}

/** Downloads a module if necessary and returns its directory. */
function download(path) {
  return JSON.parse(execFileSync("go", ["mod", "download", `-modfile=${original}`, "-json", path], { encoding: "utf8" })).Dir;
}

/** Removes the Protocol Buffers methods from generated code and related files. */
function withoutProtobuf(name, text) {
  if (!/(^|\/)(generated\.pb|\w+_proto|fieldsv1)\.go$/.test(name)) return text;
  // The serializers handle list metadata themselves.
  const methods = /^func \(\w+ \*?(?!(?:ListMeta|ShardInfo)\b)\w+\) (Marshal|MarshalTo|MarshalToSizedBuffer|Unmarshal|Size)\([^]*?^}\n/gm;
  text = text.replace(methods, "");
  return withoutUnusedImports(olderProtobuf.reduce((rest, pattern) => rest.replace(pattern, ""), text));
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
      text = text.replace(/^\tif err := modes\.RejectCustomMarshalers[^]*?^\t}\n/gm, ""); // 1.32 and 1.33
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
  const omittedFiles = ["pkg/admission/config.go", "pkg/admission/plugin/policy/generic/policy_test_context.go", "pkg/util/openapi/proto.go"];
  if (omittedFiles.includes(name)) return undefined;
  text = withoutProtobuf(name, text);
  switch (name) {
    case "pkg/util/webhook/authentication.go":
      text = edit(text, /^\/\/ NewDefaultAuthenticationInfoResolverWrapper [^]*?^}\n/m, "");
      text = edit(text, /^\tloadingRules := [^]*?^}\n/m, '\treturn nil, fmt.Errorf("kubeconfig files are left out of this build")\n}\n');
      return withoutUnusedImports(text);
    case "pkg/util/webhook/webhook.go":
      return withoutUnusedImports(edit(text, /^(?:\/\/ .*\n)*func LoadKubeconfig\([^]*?^}\n/m, ""));
    case "pkg/admission/plugin/policy/mutating/plugin.go":
      return withoutUnusedImports(edit(text, /^(?:\/\/ .*\n)*func (?:Register|NewPlugin)\([^]*?^}\n/gm, ""));
    case "pkg/cel/openapi/resolver/discovery.go":
      return withoutUnusedImports(edit(text, /^\/\/ ClientDiscoveryResolver [^]*?(?=^const extGVK)/m, ""));
    case "pkg/audit/scheme.go":
      return withoutUnusedImports(edit(text, /^func init\(\) \{[^]*?^}\n/m, ""));
    case "pkg/util/apihelpers/helpers.go":
      return withoutUnusedImports(edit(text, /, serializer\.WithSerializer\(cbor\.NewSerializerInfo\)/, ""));
  }
  return text;
}

/** Omits etcd's client, the notification of systemd, and tunnels. */
function trimOlderServer(name, text) {
  text = withoutProtobuf(name, text);
  switch (name) {
    case "pkg/storage/storagebackend/factory/etcd3.go":
      return readFileSync(join(import.meta.dirname, "without-etcd.go.txt"), "utf8");
    case "pkg/storage/storagebackend/config.go":
      text = edit(text, /^\t"k8s\.io\/apiserver\/pkg\/storage\/etcd3"\n/m, "");
      text = edit(text, /etcd3\.NewDefaultLeaseManagerConfig\(\)/, "LeaseManagerConfig{}").replace("etcd3.LeaseManagerConfig", "LeaseManagerConfig");
      return `${text}\ntype LeaseManagerConfig struct{ ReuseDurationSeconds, MaxObjectCount int64 }\n`;
    case "pkg/storage/feature/feature_support_checker.go":
      text = edit(text, /^\tclientv3 .*\n/m, "");
      return `${edit(text, /\*clientv3\./, "*")}\ntype StatusResponse struct{ Version string }\n`;
    case "pkg/server/genericapiserver.go":
      text = edit(text, /^\tif _, err := systemd\.[^]*?^\t}\n/m, "");
      return withoutUnusedImports(text);
  }
  return text;
}

/** Omits the export of traces and the collectors of metrics. */
function trimOlderBase(name, text) {
  if (name !== "tracing/utils.go") return withoutCollectors(name, text);
  text = edit(text, /^\topts := append\([^]*?^\treturn tp, nil\n/m, '\treturn nil, errors.New("the export of traces is left out of this build")\n');
  text = edit(text, /^\tsdktrace .*\n/m, "");
  return edit(text, /import \(\n/, 'import (\n\t"errors"\n');
}

function trimBase(name, text) {
  if (name === "tracing/utils.go") return undefined;
  // No span of the engine can have children.
  if (name === "tracing/tracing.go") return edit(text, /ctx, otelSpan := (trace\.SpanFromContext\(ctx\))\..*/, "otelSpan := $1");
  return withoutCollectors(name, text);
}

function withoutCollectors(name, text) {
  if (name !== "metrics/legacyregistry/registry.go") return text;
  text = edit(text, /^\t.*prometheus\/collectors"\n/m, "");
  return edit(text, /^func init\(\) \{[^]*?^}\n/m, "");
}

/** Omits connections, discovery, and the clients and informers of all core types except namespaces. */
function trimPresentClient(name, text) {
  if (/^informers\/core\/v1\/(?!interface|namespace)|^applyconfigurations\/meta\/v1\/unstructured/.test(name)) return undefined;
  switch (name) {
    case "transport/cache.go":
      // The error about an invalid certificate of the authority is part of an answer.
      text = edit(text, /(?<=^func \(c \*tlsTransportCache\) get\(.*\n)[^]*?^}\n/m, "\t_, err := TLSConfigFor(config)\n\treturn http.DefaultTransport, err\n}\n");
      return withoutUnusedImports(text);
    case "transport/transport.go":
      return edit(text, /^\tvar staticCert [^]*?(?=^\treturn tlsConfig, nil\n)/m, `\tif c.HasCertAuth() || c.HasCertCallback() {
\t\treturn nil, fmt.Errorf("client certificates are left out of this build")
\t}
`);
    case "rest/transport.go":
      text = edit(text, /(?<=^\tif c\.ExecProvider != nil \{\n)[^]*?(?=^\t}\n)/m, '\t\treturn nil, errors.New("credential plugins are left out of this build")\n');
      return withoutUnusedImports(text);
    case "dynamic/scheme.go":
      return withoutUnusedImports(edit(text, /^\tif .*ClientsAllowCBOR\) \{[^]*?^\t}\n/m, ""));
    case "kubernetes/clientset.go":
      text = withoutUnusedImports(without(text, "discovery"));
      break;
    case "kubernetes/typed/core/v1/core_client.go":
      return edit(text, /^\t(?!Namespaces)\w+Getter\n/gm, "");
    case "informers/core/v1/interface.go":
      text = edit(text, /^\t\/\/ .*\n\t(?!Namespaces)\w+\(\) \w+Informer\n/gm, "");
      return edit(text, /^\/\/ .*\nfunc \(v \*version\) (?!Namespaces)[^]*?^}\n/gm, "");
    case "informers/generic.go":
      text = edit(text, /^\tcase .*\n.* f\.Core\(\)\.V1\(\)\.(?!Namespaces).*\n/gm, "");
  }
  return trimClient(name, text);
}

/** Removes the clients and informers of all other groups. */
function trimClient(name, text) {
  // CBOR came with Kubernetes 1.32.
  if (name === "rest/config.go" && text.includes("cbor")) return withoutUnusedImports(edit(text, /, serializer\.WithSerializer\(cbor\.NewSerializerInfo\)/, ""));
  if (!/^(?:kubernetes\/clientset|informers\/factory|informers\/generic|informers\/admissionregistration\/interface)\.go$/.test(name)) return text;
  const imports = /^\t(\w+) "k8s\.io\/(?:api|client-go\/kubernetes\/typed|client-go\/informers)\/((\w+)(?:\/\w+)?)"\n/gm;
  for (const [line, alias, version, group] of [...text.matchAll(imports)]) {
    if (keptGroups.includes(group) && !omittedVersions.includes(version)) continue;
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
