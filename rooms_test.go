package crdlab

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/crdlab/crdlab/"

// room is a package of this module.
type room struct {
	name string
	// imports are the other packages that it may depend on, one step or more
	// away.
	imports []string
	// kubernetes says whether it may depend on the Kubernetes libraries.
	kubernetes bool
}

// engineTools are what the engine and its parts share.
var engineTools = []string{"internal/engine/finding", "internal/engine/upstream", "internal/engine/jsonvalue"}

// engineParts are the engine with the parts that it may lack.
var engineParts = append([]string{"internal/engine", "internal/engine/admission", "internal/engine/conversion", "internal/engine/openapi"}, engineTools...)

// rooms are all packages; dependencies point down the list.
var rooms = []room{
	{"cmd/server", append([]string{"internal/metrics", "internal/httpapi", "internal/share", "internal/procpool", "internal/ui", "internal/examples", "internal/source", "internal/playground", "web", "internal/engine/whole"}, engineParts...), true},
	{"cmd/worker", []string{"internal/httpapi", "internal/share", "internal/ui", "internal/examples", "internal/playground"}, false},
	{"wasm/whole", append([]string{"wasm/boundary", "internal/ui", "internal/examples", "internal/source", "internal/playground", "internal/engine/whole"}, engineParts...), true},
	// What the first verdict waits for has none of the parts.
	{"wasm/first", append([]string{"wasm/boundary", "internal/engine", "internal/ui", "internal/examples", "internal/source", "internal/playground"}, engineTools...), true},
	{"wasm/boundary", append([]string{"internal/engine", "internal/ui", "internal/examples", "internal/source", "internal/playground"}, engineTools...), true},
	{"internal/metrics", []string{"internal/httpapi", "internal/share", "internal/ui", "internal/examples", "internal/playground"}, false},
	{"internal/httpapi", []string{"internal/share", "internal/ui", "internal/examples", "internal/playground"}, false},
	{"internal/share", []string{"internal/playground"}, false},
	{"internal/procpool", []string{"internal/playground"}, false},
	{"internal/ui", []string{"internal/examples", "internal/playground"}, false},
	{"internal/examples", []string{"internal/playground"}, false},
	{"internal/engine/whole", append([]string{"internal/source", "internal/playground"}, engineParts...), true},
	{"internal/engine/admission", append([]string{"internal/engine", "internal/source", "internal/playground"}, engineTools...), true},
	{"internal/engine/conversion", append([]string{"internal/engine", "internal/source", "internal/playground"}, engineTools...), true},
	{"internal/engine/openapi", append([]string{"internal/source", "internal/playground"}, engineTools...), true},
	{"internal/engine", append([]string{"internal/source", "internal/playground"}, engineTools...), true},
	{"internal/engine/finding", []string{"internal/source", "internal/playground"}, true},
	{"internal/engine/upstream", []string{"internal/playground"}, true},
	{"internal/engine/jsonvalue", nil, true},
	{"internal/source", []string{"internal/playground"}, false},
	{"internal/playground", nil, false},
	{"web", nil, false},
	{"deploy", nil, true},
}

func TestDependenciesPointDown(t *testing.T) {
	for _, room := range rooms {
		for _, dependency := range dependencies(t, room.name) {
			if inside, ok := strings.CutPrefix(dependency, module); ok {
				if inside != room.name && !slices.Contains(room.imports, inside) {
					t.Errorf("%s depends on %s", room.name, inside)
				}
			}
			if strings.HasPrefix(dependency, "k8s.io/") && !room.kubernetes {
				t.Errorf("%s depends on %s", room.name, dependency)
			}
		}
	}
}

func TestEveryPackageHasItsRoom(t *testing.T) {
	for _, pkg := range list(t, "./...") {
		name := strings.TrimPrefix(pkg, module)
		known := slices.ContainsFunc(rooms, func(r room) bool {
			return name == r.name || strings.HasPrefix(name, r.name+"/")
		})
		if !known && name != strings.TrimSuffix(module, "/") {
			t.Errorf("%s is in no room", name)
		}
	}
}

// TestOneFileValidatesCRDs keeps the internal form of CRDs, which upstream's
// validation takes, from spreading.
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

// maxFile is the size in bytes above which a file was not written by hand.
const maxFile = 1_000_000

// TestNothingBuiltIsCommitted finds programs and modules among the sources.
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

// dependencies are the packages that the room's are built from.
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
