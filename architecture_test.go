package crdlab

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/crdlab/crdlab/"

// packageRule limits the dependencies of one package of this module.
type packageRule struct {
	name string
	// imports lists the permitted dependencies within the module, direct and
	// indirect. A name that ends in "/..." permits all packages of a directory.
	imports []string
	// kubernetes permits the Kubernetes libraries.
	kubernetes bool
}

// engineTools lists the packages shared by the engine and its features.
var engineTools = []string{"internal/engine/finding", "internal/engine/upstream", "internal/engine/jsonvalue"}

// engineParts lists the engine with its optional features.
var engineParts = append([]string{"internal/engine", "internal/engine/admission", "internal/engine/admission/manifest", "internal/engine/conversion", "internal/engine/openapi", "internal/engine/webhook"}, engineTools...)

// sourceCore lists internal/source and its dependencies.
var sourceCore = []string{
	"internal/source", "internal/source/celtoken", "internal/source/layout", "internal/source/syntax",
	"internal/source/nesting", "internal/source/limits", "internal/source/mapping", "internal/source/scalar",
	"internal/source/position", "internal/source/lex", "internal/playground",
}

// packageRules lists all packages; dependencies point down the list.
var packageRules = []packageRule{
	{"cmd/server", append([]string{"internal/metrics", "internal/httpapi", "internal/share", "internal/procpool", "internal/ui", "internal/examples", "internal/source/...", "internal/playground", "web", "internal/engine/whole"}, engineParts...), true},
	{"cmd/worker", []string{"internal/httpapi", "internal/share", "internal/ui", "internal/examples", "internal/playground"}, false},
	{"wasm/whole", append([]string{"wasm/boundary", "internal/ui", "internal/examples", "internal/source/...", "internal/playground", "internal/engine/whole"}, engineParts...), true},
	// The module that downloads first has no optional features.
	{"wasm/first", append([]string{"wasm/boundary", "internal/engine", "internal/ui", "internal/examples", "internal/source/...", "internal/playground"}, engineTools...), true},
	{"wasm/boundary", append([]string{"internal/engine", "internal/ui", "internal/examples", "internal/source/...", "internal/playground"}, engineTools...), true},
	{"internal/metrics", []string{"internal/httpapi", "internal/share", "internal/ui", "internal/examples", "internal/playground"}, false},
	{"internal/httpapi", []string{"internal/share", "internal/ui", "internal/examples", "internal/playground"}, false},
	{"internal/share", []string{"internal/playground"}, false},
	{"internal/procpool", []string{"internal/playground"}, false},
	{"internal/ui", []string{"internal/examples", "internal/playground"}, false},
	{"internal/examples", []string{"internal/playground"}, false},
	// No rule above permits these packages: only tests and the conformance program
	// import them.
	{"internal/enginetest", append([]string{"internal/enginetest/apiclient", "internal/enginetest/cases", "internal/enginetest/verdict", "internal/refserver", "internal/refserver/kubeapi", "internal/engine/whole", "internal/source/...", "internal/playground"}, engineParts...), true},
	{"internal/enginetest/apiclient", []string{"internal/enginetest/cases", "internal/enginetest/verdict", "internal/refserver/kubeapi", "internal/source/...", "internal/playground"}, true},
	{"internal/enginetest/verdict", []string{"internal/enginetest/cases", "internal/source/...", "internal/playground"}, false},
	{"internal/enginetest/cases", []string{"internal/playground"}, false},
	// The reference server also compiles against other Kubernetes releases.
	{"internal/refserver", []string{"internal/refserver/kubeapi", "internal/playground"}, true},
	{"internal/refserver/kubeapi", []string{"internal/playground"}, true},
	{"internal/engine/whole", append([]string{"internal/source/...", "internal/playground"}, engineParts...), true},
	{"internal/engine/admission", append([]string{"internal/engine/admission/manifest", "internal/engine/webhook", "internal/engine", "internal/source/...", "internal/playground"}, engineTools...), true},
	{"internal/engine/admission/manifest", []string{"internal/engine/finding", "internal/engine/upstream", "internal/source/...", "internal/playground"}, true},
	{"internal/engine/conversion", append([]string{"internal/engine/webhook", "internal/engine", "internal/source/...", "internal/playground"}, engineTools...), true},
	{"internal/engine/openapi", append([]string{"internal/source/...", "internal/playground"}, engineTools...), true},
	{"internal/engine", append([]string{"internal/source/...", "internal/playground"}, engineTools...), true},
	{"internal/engine/webhook", nil, true},
	{"internal/engine/finding", []string{"internal/source/...", "internal/playground"}, true},
	{"internal/engine/upstream", []string{"internal/playground"}, true},
	{"internal/engine/jsonvalue", nil, true},
	{"internal/source/edit", sourceCore, false},
	{"internal/source/formatting", sourceCore, false},
	{"internal/source/resolve", sourceCore, false},
	{"internal/source", sourceCore, false},
	{"internal/source/celtoken", []string{"internal/source/position", "internal/source/lex", "internal/playground"}, false},
	{"internal/source/tolerant", []string{"internal/source/position", "internal/source/lex", "internal/playground"}, false},
	{"internal/source/layout", []string{"internal/source/position", "internal/source/scalar", "internal/source/lex", "internal/playground"}, false},
	{"internal/source/syntax", []string{"internal/source/nesting", "internal/source/limits", "internal/source/lex", "internal/playground"}, false},
	{"internal/source/nesting", []string{"internal/source/limits", "internal/source/lex", "internal/playground"}, false},
	{"internal/source/limits", []string{"internal/playground"}, false},
	{"internal/source/position", []string{"internal/source/lex", "internal/playground"}, false},
	{"internal/source/scalar", []string{"internal/source/lex"}, false},
	{"internal/source/mapping", nil, false},
	{"internal/source/lex", nil, false},
	{"internal/playground", nil, false},
	{"web", nil, false},
	{"internal/devtools/steps", nil, false},
	{"internal/devtools/words", nil, false},
	{"deploy", nil, true},
}

// permits reports whether the package may depend on another one of this module.
func (r packageRule) permits(name string) bool {
	return slices.ContainsFunc(r.imports, func(permitted string) bool {
		directory, isTree := strings.CutSuffix(permitted, "/...")
		return name == directory || isTree && strings.HasPrefix(name, directory+"/")
	})
}

func TestDependenciesPointDown(t *testing.T) {
	for _, rule := range packageRules {
		for _, dependency := range dependencies(t, rule.name) {
			if inside, ok := strings.CutPrefix(dependency, module); ok {
				if inside != rule.name && !rule.permits(inside) {
					t.Errorf("%s depends on %s", rule.name, inside)
				}
			}
			if strings.HasPrefix(dependency, "k8s.io/") && !rule.kubernetes {
				t.Errorf("%s depends on %s", rule.name, dependency)
			}
		}
	}
}

func TestEveryPackageHasARule(t *testing.T) {
	for _, pkg := range list(t, "./...") {
		name := strings.TrimPrefix(pkg, module)
		known := slices.ContainsFunc(packageRules, func(r packageRule) bool {
			return name == r.name || strings.HasPrefix(name, r.name+"/")
		})
		if !known && name != strings.TrimSuffix(module, "/") {
			t.Errorf("package %s has no rule", name)
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
	for _, name := range strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		if info, err := os.Stat(name); err == nil && info.Size() > maxFile {
			t.Errorf("%s has %d bytes, more than %d", name, info.Size(), maxFile)
		}
	}
}

// dependencies lists the packages that the named package is built from.
func dependencies(t *testing.T, name string) []string {
	t.Helper()
	return list(t, "-deps", "./"+name)
}

func list(t *testing.T, arguments ...string) []string {
	t.Helper()
	command := exec.Command("go", append([]string{"list"}, arguments...)...)
	forWeb := func(argument string) bool {
		return strings.HasPrefix(argument, "./wasm/") || argument == "./cmd/worker"
	}
	if slices.ContainsFunc(arguments, forWeb) {
		command.Env = append(command.Environ(), "GOOS=js", "GOARCH=wasm")
	}
	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", strings.Join(arguments, " "), err)
	}
	return strings.Fields(string(output))
}
