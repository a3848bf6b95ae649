package crdlab

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const module = "github.com/crdlab/crdlab/"

// packageRule limits the imports of one package of this module.
type packageRule struct {
	name string
	// imports lists the permitted imports within the module, separated by blanks.
	// A name that ends in "/..." permits all packages of a directory.
	imports string
	// kubernetes permits the Kubernetes libraries, also as indirect dependencies.
	kubernetes bool
}

// packageRules lists all packages. Imports point down the list.
var packageRules = []packageRule{
	{"cmd/crdlab", "internal/engine/conversion internal/mutant internal/project internal/helm internal/apiserver internal/controlplane internal/memetcd internal/lsp internal/mcp internal/crdtest internal/bundle internal/gotypes internal/server internal/cluster internal/naming internal/share internal/assist internal/inspect internal/format internal/upgrade internal/expect internal/check internal/load internal/manifest internal/releases internal/engine/release internal/engine internal/playground", true},
	{"cmd/server", "internal/server", true},
	{"internal/server", "internal/gotypes internal/site internal/metrics internal/releases internal/httpapi internal/share internal/procpool internal/renderer internal/confine internal/assist internal/engine/conversion internal/engine internal/playground web", true},
	{"cmd/worker", "internal/httpapi internal/share internal/ui internal/examples internal/playground", false},
	// The programs of older releases; only the Makefile builds them.
	{"releases", "internal/apiclient internal/refserver internal/procpool internal/verdict internal/playground", true},
	{"internal/devtools/releases", "internal/engine internal/releases internal/enginetest/cases", true},
	{"internal/devtools/fixtures", "internal/apiserver internal/memetcd", true},
	{"internal/apiserver", "internal/memetcd internal/engine/finding", true},
	{"internal/controlplane", "", true},
	{"internal/memetcd", "", true},
	{"internal/lsp", "internal/project internal/kustomize internal/naming internal/cluster internal/share internal/releases internal/gotypes internal/assist internal/engine internal/expect internal/mutant internal/check internal/load internal/manifest internal/bundle internal/source/... internal/playground", true},
	{"internal/crdtest", "internal/mutant internal/expect internal/check internal/load internal/manifest internal/bundle internal/engine/release internal/playground", true},
	{"internal/mcp", "internal/naming internal/inspect internal/format internal/upgrade internal/errorindex internal/releases internal/assist internal/engine internal/engine/release internal/expect internal/check internal/load internal/manifest internal/playground", true},
	{"internal/cluster", "", true},
	{"internal/naming", "internal/playground", true},
	{"internal/inspect", "internal/check internal/manifest internal/engine/openapi internal/playground", true},
	{"internal/format", "internal/upgrade internal/expect internal/check internal/manifest internal/playground", false},
	{"wasm", "wasm/boundary internal/engine", true},
	{"wasm/boundary", "wasm/exchange internal/bundle internal/ui internal/assist internal/engine internal/verdict internal/playground", true},
	{"wasm/gotypes", "wasm/exchange internal/gotypes internal/playground", true},
	{"wasm/exchange", "internal/playground", false},
	{"internal/metrics", "internal/httpapi internal/share internal/playground", false},
	{"internal/site", "docs internal/errorindex internal/share internal/ui internal/examples internal/playground", false},
	{"internal/httpapi", "internal/httpapi/apidoc internal/fairqueue internal/share internal/ui internal/examples internal/playground", false},
	{"internal/httpapi/apidoc", "internal/ui", false},
	{"internal/fairqueue", "", false},
	{"internal/share", "internal/playground", false},
	{"internal/releases", "internal/procpool internal/verdict internal/playground", false},
	{"internal/procpool", "internal/confine internal/playground", false},
	{"internal/renderer", "internal/bundle internal/ui internal/examples internal/playground", false},
	{"internal/ui", "internal/examples internal/playground", false},
	{"internal/errorindex", "internal/examples internal/source/edit internal/playground", false},
	{"internal/examples", "internal/playground", false},

	// No rule above permits these packages: only tests and the conformance program
	// import them.
	{"internal/enginetest/revisions", "internal/enginetest internal/enginetest/generate internal/apiclient internal/assist internal/engine internal/verdict internal/playground", true},
	{"internal/enginetest", "internal/apiclient internal/refserver internal/engine internal/engine/admission/... internal/playground", true},
	{"internal/enginetest/cases", "internal/verdict internal/source/edit internal/playground", false},
	{"internal/enginetest/corpus", "", false},
	{"internal/enginetest/generate", "internal/playground", false},
	{"internal/enginetest/livecluster", "internal/refserver/kubeapi", true},
	{"internal/enginetest/livewebhook", "internal/playground", false},
	{"internal/enginetest/verdictdiff", "internal/verdict", true},
	// The reference server and its client also compile against other Kubernetes releases.
	{"internal/apiclient", "internal/verdict internal/refserver/kubeapi internal/source/... internal/playground", true},
	{"internal/refserver", "internal/refserver/kubeapi internal/playground", true},
	{"internal/refserver/kubeapi", "internal/playground", true},

	{"internal/gotypes", "internal/project internal/documented internal/manifest internal/engine/jsonvalue internal/source/... internal/playground", true},
	{"internal/assist", "internal/documented internal/check internal/manifest internal/upgrade internal/expect internal/engine/admission internal/engine/conversion internal/engine/openapi internal/bundle internal/assist/celscope internal/assist/facts internal/engine internal/engine/celvalue internal/engine/solve internal/engine/object internal/engine/customresource internal/engine/crd internal/engine/celrule internal/engine/crdschema internal/engine/release " + engineTools, true},
	{"internal/upgrade", "internal/check internal/manifest internal/playground", false},
	{"internal/documented", "", true},
	{"internal/assist/celscope", "internal/assist/facts internal/engine/crdschema internal/engine/release internal/source/... internal/playground", true},
	{"internal/assist/facts", "internal/engine/crdschema internal/engine/jsonvalue internal/playground", true},
	{"internal/engine", "internal/engine/admission/... internal/engine/conversion internal/engine/openapi internal/engine/celvalue internal/engine/celrule internal/engine/witness internal/engine/judged internal/engine/notes internal/verdict internal/engine/quickfix internal/engine/crddiff internal/engine/object internal/engine/customresource internal/engine/crd internal/engine/crdschema internal/engine/kubectl internal/engine/release internal/mutant " + engineTools, true},
	{"internal/engine/judged", "internal/engine/object internal/engine/crd internal/engine/kubectl internal/verdict " + engineTools, true},
	{"internal/engine/notes", "internal/engine/celvalue internal/engine/quickfix internal/engine/crd internal/engine/crdschema internal/engine/gotype " + engineTools, true},
	{"internal/engine/quickfix", "internal/engine/object internal/engine/crd internal/engine/gotype internal/engine/conversion internal/engine/celrule internal/engine/crdschema " + engineTools, true},
	{"internal/engine/witness", "internal/mutant internal/engine/celrule internal/engine/conversion internal/engine/celvalue internal/engine/crddiff internal/engine/solve internal/engine/object internal/engine/customresource internal/engine/crd internal/engine/crdschema " + engineTools, true},
	{"internal/engine/solve", "internal/engine/celvalue internal/engine/crdschema internal/engine/jsonvalue internal/playground", true},
	{"internal/engine/crddiff", "internal/engine/conversion internal/engine/object internal/engine/customresource internal/engine/crd internal/engine/crdschema " + engineTools, true},
	{"internal/engine/object", "internal/engine/admission internal/engine/conversion internal/engine/customresource internal/engine/crd internal/engine/owner internal/engine/celrule internal/engine/crdschema internal/engine/kubectl internal/engine/release " + engineTools, true},
	{"internal/engine/customresource", "internal/engine/conversion internal/engine/crd " + engineTools, true},
	{"internal/engine/crd", "internal/engine/conversion internal/engine/openapi internal/engine/owner internal/engine/celrule internal/engine/crdschema internal/engine/kubectl internal/engine/release " + engineTools, true},
	{"internal/engine/admission", "internal/engine/admission/manifest internal/engine/celrule internal/engine/celvalue internal/engine/webhook " + engineTools, true},
	{"internal/engine/admission/manifest", "internal/engine/celvalue internal/engine/gotype internal/engine/finding internal/engine/upstream internal/source/... internal/playground", true},
	{"internal/engine/conversion", "internal/engine/celvalue internal/engine/webhook " + engineTools, true},
	{"internal/engine/owner", "internal/engine/crdschema internal/engine/jsonvalue", true},
	{"internal/engine/openapi", "internal/engine/jsonvalue internal/playground", true},
	{"internal/engine/webhook", "", true},
	{"internal/engine/celrule", "internal/engine/celvalue internal/engine/crdschema internal/engine/release " + engineTools, true},
	{"internal/engine/crdschema", "internal/source/tolerant", true},
	{"internal/engine/gotype", "internal/engine/jsonvalue internal/source", true},
	{"internal/engine/kubectl", "internal/engine/upstream internal/playground", true},
	{"internal/engine/release", "internal/playground", true},
	{"internal/engine/finding", "internal/engine/jsonvalue internal/source/... internal/playground", true},
	{"internal/engine/upstream", "internal/playground", true},
	{"internal/engine/jsonvalue", "internal/playground", true},
	{"internal/engine/celvalue", "", true},

	{"internal/expect", "internal/mutant internal/check internal/manifest internal/source/... internal/playground", false},
	{"internal/mutant", "internal/source/... internal/playground", false},
	{"internal/check", "internal/manifest internal/bundle internal/source/edit internal/playground", false},
	{"internal/load", "internal/project internal/kustomize internal/manifest", true},
	{"internal/helm", "internal/manifest internal/source/... internal/playground", true},
	{"internal/kustomize", "internal/manifest internal/source/... internal/playground", true},
	{"internal/project", "", false},
	{"internal/manifest", "internal/bundle internal/source/... internal/playground", false},
	{"internal/bundle", "internal/source/... internal/playground", false},
	{"internal/verdict", "internal/source/... internal/playground", false},

	{"internal/source/sourcetest", "internal/source", false},
	{"internal/source/edit", "internal/source internal/source/yamltext internal/playground", false},
	{"internal/source", "internal/source/celtoken internal/source/yamltext internal/playground", false},
	{"internal/source/celtoken", "", false},
	{"internal/source/tolerant", "internal/source/yamltext internal/playground", false},
	{"internal/source/yamltext", "internal/playground", false},
	{"internal/playground", "", false},
	{"internal/confine", "", false},
	{"web", "", false},
	{"docs", "", false},
	{"internal/devtools/attack", "", false},
	{"internal/devtools/steps", "", false},
	{"deploy", "", true},
}

const (
	// engineTools lists the packages that all packages of the engine share.
	engineTools = "internal/engine/finding internal/engine/upstream internal/engine/jsonvalue internal/source/... internal/playground"
)

// permits reports whether the package may import another one of this module.
func (r packageRule) permits(name string) bool {
	return slices.ContainsFunc(strings.Fields(r.imports), func(permitted string) bool {
		directory, isTree := strings.CutSuffix(permitted, "/...")
		return name == directory || isTree && strings.HasPrefix(name, directory+"/")
	})
}

func TestImportsPointDown(t *testing.T) {
	packages := listPackages(t)
	for i, rule := range packageRules {
		for _, path := range packages[module+rule.name].Imports {
			imported, ok := strings.CutPrefix(path, module)
			if !ok {
				continue
			}
			if !rule.permits(imported) {
				t.Errorf("%s imports %s", rule.name, imported)
			}
			if j := slices.IndexFunc(packageRules, func(r packageRule) bool { return r.name == imported }); j >= 0 && j < i {
				t.Errorf("%s imports %s, which is above it in the list", rule.name, imported)
			}
		}
	}
}

func TestPackagesWithoutKubernetes(t *testing.T) {
	packages := listPackages(t)
	for _, rule := range packageRules {
		if rule.kubernetes {
			continue
		}
		for _, dependency := range packages[module+rule.name].Deps {
			if strings.HasPrefix(dependency, "k8s.io/") {
				t.Errorf("%s depends on %s", rule.name, dependency)
			}
		}
	}
}

func TestEveryPackageHasARule(t *testing.T) {
	packages := listPackages(t)
	for path := range packages {
		name := strings.TrimPrefix(path, module)
		known := slices.ContainsFunc(packageRules, func(r packageRule) bool {
			return name == r.name || strings.HasPrefix(r.name, "internal/share") && strings.HasPrefix(name, r.name+"/")
		})
		if !known && !strings.HasPrefix(module, path) && name != "cmd/worker/storetest" {
			t.Errorf("package %s has no rule", name)
		}
	}
	for _, rule := range packageRules {
		if _, ok := packages[module+rule.name]; !ok {
			t.Errorf("there is no package %s", rule.name)
		}
	}
}

// TestOneFileValidatesCRDs confines the internal CRD types, which upstream's
// validation requires, to one file.
func TestOneFileValidatesCRDs(t *testing.T) {
	const validation = `"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"`
	output, err := exec.Command("grep", "-rl", "--include=*.go", validation, "internal", "cmd", "wasm").Output()
	if err != nil {
		t.Fatalf("search the sources: %v", err)
	}
	if files := strings.Fields(string(output)); len(files) != 1 {
		t.Errorf("%s is imported by %v, want one file", validation, files)
	}
}

// maxFile is the largest size in bytes of a hand-written file.
const maxFile = 1_000_000

// TestNothingBuiltIsCommitted rejects programs and WebAssembly modules in the
// repository.
func TestNothingBuiltIsCommitted(t *testing.T) {
	if _, err := os.Stat(".git"); err != nil {
		t.Skip("not a checkout")
	}
	output, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Fatalf("list the files: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		if info, err := os.Stat(name); err == nil && info.Size() > maxFile {
			t.Errorf("%s has %d bytes, more than %d", name, info.Size(), maxFile)
		}
	}
}

// listedPackage holds the fields that the tests read of a package.
type listedPackage struct {
	ImportPath    string
	Imports, Deps []string
}

// listPackages returns the packages of this module by import path: as built for
// this machine, or, where they build for WebAssembly alone, as built for that.
func listPackages(t *testing.T) map[string]listedPackage {
	t.Helper()
	packages := map[string]listedPackage{}
	decode := func(output []byte) {
		for decoder := json.NewDecoder(bytes.NewReader(output)); decoder.More(); {
			var p listedPackage
			if err := decoder.Decode(&p); err != nil {
				t.Fatal(err)
			}
			packages[p.ImportPath] = p
		}
	}
	for _, platform := range []struct {
		patterns, environment []string
	}{
		{[]string{"./..."}, nil},
		{[]string{"./wasm/...", "./cmd/worker/..."}, []string{"GOOS=js", "GOARCH=wasm"}},
	} {
		command := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Deps"}, platform.patterns...)...)
		command.Env = append(command.Environ(), platform.environment...)
		output, err := command.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		decode(output)
	}
	return packages
}

// TestKnownTypesAreThoseOfTheProgram requires that the declarations of known Go types come from the
// same versions as the libraries of the program.
func TestKnownTypesAreThoseOfTheProgram(t *testing.T) {
	versions := func(path string) map[string]string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := modfile.Parse(path, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]string{}
		for _, required := range file.Require {
			all[required.Mod.Path] = required.Mod.Version
		}
		return all
	}
	program := versions("go.mod")
	for module, version := range versions("internal/devtools/knowntypes/go.mod") {
		if other, ok := program[module]; ok && strings.Contains(module, "k8s.io/") && other != version {
			t.Errorf("internal/devtools/knowntypes requires %s %s, the program %s", module, version, other)
		}
	}
}
