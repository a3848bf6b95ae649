// Compares the CRDs that crdlab generates from the API packages of public projects with those of
// the controller-gen program.
//
//   node gotypes.mjs CONTROLLER_GEN CRDLAB [PROJECT...]
//
// For each project, the script downloads the module, selects the Kubernetes libraries of crdlab,
// and generates three times: with controller-gen, with crdlab without the go command, and with the
// module of the page. The CRDs must be equal. Only packages that crdlab names as unknown may lead to
// differences.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { loadModule, root } from "../wasm/cases.mjs";

/** The modules with their packages. The versions need no newer Go than crdlab. */
const projects = {
  "argo-rollouts": ["github.com/argoproj/argo-rollouts@v1.8.3", "pkg/apis/rollouts/v1alpha1"],
  "cert-manager": ["github.com/cert-manager/cert-manager@v1.21.2", "pkg/apis"],
  "cluster-api-provider-aws": ["sigs.k8s.io/cluster-api-provider-aws/v2@v2.13.0", "api"],
  contour: ["github.com/projectcontour/contour@v1.33.8", "apis"],
  crossplane: ["github.com/crossplane/crossplane@v1.20.0", "apis"],
  "external-snapshotter": ["github.com/kubernetes-csi/external-snapshotter/client/v8@v8.7.0", "apis"],
  "flux-helm": ["github.com/fluxcd/helm-controller/api@v1.4.0", "."],
  "flux-kustomize": ["github.com/fluxcd/kustomize-controller/api@v1.7.0", "."],
  "flux-notification": ["github.com/fluxcd/notification-controller/api@v1.7.0", "."],
  "flux-source": ["github.com/fluxcd/source-controller/api@v1.7.0", "."],
  "gateway-api": ["sigs.k8s.io/gateway-api@v1.4.0", "apis/v1"],
  karpenter: ["sigs.k8s.io/karpenter@v1.6.0", "pkg/apis/v1"],
  keda: ["github.com/kedacore/keda/v2@v2.21.0", "apis/keda"],
  kueue: ["sigs.k8s.io/kueue@v0.17.0", "apis/kueue"],
  "network-policy": ["sigs.k8s.io/network-policy-api@v0.3.0", "apis"],
  "open-cluster-management": ["open-cluster-management.io/api@v1.0.0", "cluster"],
  "prometheus-operator": ["github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring@v0.95.2", "."],
  velero: ["github.com/vmware-tanzu/velero@v1.17.0", "pkg/apis/velero"],
};

const [controllerGen, crdlab, ...chosen] = process.argv.slice(2);
/** The modules whose types crdlab knows, without those that only these require. */
const known = [...readFileSync(join(root, "internal/devtools/knowntypes/go.mod"), "utf8").matchAll(/^\t(k8s\.io\/api\S*|sigs\.k8s\.io\/(?:gateway|cluster)-api\S*) (v\S+)$/gm)];
const { assist } = await loadModule("gotypes");

/** Runs a program; returns its output, its errors and its time in ms. */
function run(file, args, cwd, env) {
  const start = performance.now();
  const { stdout, stderr, error } = spawnSync(file, args, { cwd, env, encoding: "utf8", maxBuffer: 1 << 28, timeout: 300_000 });
  if (error) throw error;
  return { stdout, stderr, took: Math.round(performance.now() - start) };
}

/** Copies the source of a module, which is read-only, and selects the libraries. */
function checkOut(module, directory) {
  const { Dir: source } = JSON.parse(execFileSync("go", ["mod", "download", "-json", module], { cwd: tmpdir(), encoding: "utf8" }));
  cpSync(source, directory, { recursive: true });
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  }
  execFileSync("go", ["get", ...librariesOf(directory)], { cwd: directory, env, stdio: "ignore" });
}

/** Returns the known modules that a module requires. A former version of Cluster API was one module. */
function librariesOf(directory) {
  const required = readFileSync(join(directory, "go.mod"), "utf8");
  return known.flatMap(([, name, version]) => {
    const former = name.replace(/^(sigs\.k8s\.io\/[^/]+).*/, "$1");
    if (!name.startsWith("k8s.io/") && !required.includes(`\t${former} `)) return [];
    return [...new Set([name, former])].map((path) => `${path}@${version}`);
  });
}

/** Returns the Go files below a directory as one text, without generated methods. */
function asText(directory, packages) {
  const names = readdirSync(join(directory, packages), { recursive: true }).map((name) => join(packages, name));
  const files = ["go.mod", ...names].filter((name) => /\.go$|^go\.mod$/.test(name) && !/_test\.go$|\.pb\.go$|zz_generated\.(?:deepcopy|conversion|defaults)/.test(name) && statSync(join(directory, name)).isFile());
  return files.map((name) => `-- ${relative(".", name)} --\n${readFileSync(join(directory, name), "utf8")}\n`).join("");
}

/** Counts the lines that only one of two texts has. */
function differing(a, b) {
  const counts = new Map();
  for (const line of a.split("\n")) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of b.split("\n")) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}

const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" };
let failed = false;
console.log("project                    CRDs   lines  controller-gen  without go  module  differing lines");
for (const [name, [module, packages]] of Object.entries(projects)) {
  if (chosen.length > 0 && !chosen.includes(name)) continue;
  const directory = mkdtempSync(join(tmpdir(), "crdlab-gotypes-"));
  try {
    checkOut(module, directory);
    const pattern = `./${packages === "." ? "" : `${packages}/`}...`;
    const wanted = run(resolve(controllerGen), ["crd", `paths=${pattern}`, "output:stdout"], directory, env);
    const native = run(resolve(crdlab), ["generate", pattern], directory, { PATH: "" });
    const start = performance.now();
    const { generate: generated } = JSON.parse(assist(JSON.stringify({ generate: { text: asText(directory, packages) } })));
    const took = Math.round(performance.now() - start);
    const unknown = [...new Set([...native.stderr.matchAll(/The package (\S+) is unknown/g)].map(([, path]) => path))];
    const [lines, inModule] = [differing(wanted.stdout, native.stdout), differing(native.stdout, generated.crds)];
    const crds = wanted.stdout.match(/^kind: CustomResourceDefinition$/gm)?.length ?? 0;
    const isEqual = crds > 0 && inModule === 0 && (lines === 0 ? wanted.stdout === native.stdout : unknown.length > 0);
    failed ||= !isEqual;
    const figures = [crds, wanted.stdout.split("\n").length, wanted.took, native.took, took, lines].map((n, i) => String(n).padStart([4, 8, 13, 11, 8, 10][i]));
    console.log(`${name.padEnd(26)} ${figures.join(" ")}  ${isEqual ? "" : "FAILED"}${inModule ? ` module: ${inModule} lines differ, ${generated.problems.find(({ severity }) => severity === "error")?.message}` : ""} ${unknown.join(", ")}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}
process.exit(failed ? 1 : 0);
