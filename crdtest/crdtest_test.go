package crdtest_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/crdlab/crdlab/crdtest"
)

// TestMain builds the program, unless CRDLAB_BIN names it.
func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if os.Getenv("CRDLAB_BIN") != "" {
		return m.Run()
	}
	directory, err := os.MkdirTemp("", "crdtest")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(directory)
	path := filepath.Join(directory, "crdlab")
	build := exec.Command("go", "build", "-o", path, "./cmd/crdlab")
	build.Dir, build.Stdout, build.Stderr = "..", os.Stdout, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build crdlab:", err)
		return 1
	}
	os.Setenv("CRDLAB_BIN", path)
	return m.Run()
}

// A printer prints the messages of a test.
type printer struct{ testing.TB }

func (p *printer) Helper()                      {}
func (p *printer) Logf(format string, a ...any) { fmt.Printf(format+"\n", a...) }
func (p *printer) Errorf(format string, a ...any) {
	fmt.Printf(format+"\n", a...)
}

// A recorder records the messages of a test, which ends at a fatal one.
type recorder struct {
	testing.TB
	messages bytes.Buffer
}

func (r *recorder) Helper()                      {}
func (r *recorder) Logf(format string, a ...any) { fmt.Fprintf(&r.messages, "log: "+format+"\n", a...) }
func (r *recorder) Errorf(format string, a ...any) {
	fmt.Fprintf(&r.messages, "error: "+format+"\n", a...)
}
func (r *recorder) Fatal(a ...any) { r.Fatalf("%s", fmt.Sprint(a...)) }
func (r *recorder) Fatalf(format string, args ...any) {
	fmt.Fprintf(&r.messages, "fatal: "+format+"\n", args...)
	runtime.Goexit()
}

// messagesOf returns the messages of a test.
func messagesOf(test func(testing.TB)) string {
	var r recorder
	var done sync.WaitGroup
	done.Add(1)
	go func() {
		defer done.Done()
		test(&r)
	}()
	done.Wait()
	return r.messages.String()
}

const crontabs = crdtest.Path("testdata/crontabs.yaml")

func TestManifests(t *testing.T) {
	crdtest.Run(t, "testdata/objects/...", crdtest.CRDs("testdata/crontabs.yaml"))
}

// TestManifestsOfOtherDirectory changes the directory after the start of the program.
func TestManifestsOfOtherDirectory(t *testing.T) {
	crdtest.New(t, crontabs)
	start, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir("testdata"); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chdir(start) }()
	crdtest.Run(t, "objects", crdtest.CRDs("crontabs.yaml"), crdtest.Releases("1.37"))
}

// TestMutations runs the tests on changed CRDs.
func TestMutations(t *testing.T) {
	crdtest.Run(t, "testdata/objects", crdtest.CRDs("testdata/crontabs.yaml"), crdtest.Mutate(0.1))
	few := crdtest.Mutations{Share: 0.5, Summary: "the tests notice 1 of 2 changes", Missed: []string{"crd.yaml:3:4: no test notices minimum: 1 → 2"}}
	for _, c := range []struct {
		found *crdtest.Mutations
		want  string
	}{
		{&few, "error: the tests notice 1 of 2 changes; want at least 90.0 %\ncrd.yaml:3:4: no test notices minimum: 1 → 2\n"},
		{nil, "fatal: this version of the program crdlab does not support crdtest.Mutate\n"},
	} {
		if got := messagesOf(func(t testing.TB) { crdtest.CheckMutations(t, 0.9, c.found) }); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// TestParallel has several tests share the program.
func TestParallel(t *testing.T) {
	for i := range 8 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			crd := crdtest.New(t, crontabs)
			for replicas := range 20 {
				object := fmt.Sprintf("{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}, spec: {schedule: a, replicas: %d}}", replicas)
				if 1 <= replicas && replicas <= 10 {
					crd.Accepts(object)
				} else {
					crd.Rejects(object, fmt.Sprintf("spec.replicas: Invalid value: %d: ", replicas))
				}
			}
		})
	}
}

// TestApproximateManifests logs that the program of a release is missing.
func TestApproximateManifests(t *testing.T) {
	crdtest.Run(t, "testdata/objects", crdtest.CRDs("testdata/crontabs.yaml"), crdtest.Releases("1.30", "1.37"), crdtest.Approximate())
}

func TestMessages(t *testing.T) {
	tests := []struct {
		name string
		test func(testing.TB)
		want string
	}{
		{"all expectations met", func(t testing.TB) {
			crdtest.New(t, crontabs).Accepts(object("replicas: 10")).Rejects(object("replicas: 11"))
		}, ""},
		{"accepted", func(t testing.TB) {
			crdtest.New(t, crontabs).Rejects(object("replicas: 10")).Rejects(object("replicas: 9"), "spec")
		}, "error: Kubernetes 1.37 accepts \"a\"\nerror: Kubernetes 1.37 accepts \"a\"\n"},
		{"several errors", func(t testing.TB) {
			crdtest.New(t, crontabs).Rejects(object("replicas: 11, extra: 1"), `unknown field "spec.extra"`)
			crdtest.New(t, crontabs).Rejects(object("replicas: 11, paused: 1"), "spec.replicas")
		}, "error: Kubernetes 1.37 rejects \"a\" with the errors\n" +
			"    spec.paused: Invalid value: \"integer\": spec.paused in body must be of type boolean: \"integer\"\n" +
			"    fix: Set paused: true\n" +
			"    spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to 10\n" +
			"    fix: Set replicas: 10\n" +
			"    <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation\n" +
			"    hint: CEL rules did not run because of the errors above. Fix those first.\n" +
			"want errors that contain\n    spec.replicas\n"},
		{"a CRD that is rejected", func(t testing.TB) {
			crdtest.New(t, "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.example.com}, spec: {group: example.com, scope: Cluster, names: {plural: b, kind: B}, versions: []}}")
		}, "fatal: Kubernetes 1.37 rejects the CRD a.example.com:\n" +
			"    metadata.name: Invalid value: \"a.example.com\": must be spec.names.plural+\".\"+spec.group\n" +
			"    hint: The name of a CRD must be <spec.names.plural>.<spec.group>.\n" +
			"    fix: Set metadata.name: b.example.com\n" +
			"    spec.versions: Invalid value: []: must have exactly one version marked as storage version\n" +
			"    hint: Set storage: true on exactly one version: the version in which objects are stored.\n" +
			"    status.storedVersions: Invalid value: null: must have at least one stored version\n" +
			"    hint: No version has storage: true. Correct spec.versions first.\n"},
		{"no CRD", func(t testing.TB) { crdtest.New(t, object("")) }, "fatal: there is no CustomResourceDefinition\n"},
		{"another kind", func(t testing.TB) {
			crdtest.New(t, crontabs).Accepts("{apiVersion: example.com/v1, kind: Pizza}")
		}, "fatal: no CRD describes the kind Pizza of the group \"example.com\"\n"},
		{"several objects", func(t testing.TB) {
			crdtest.New(t, crontabs).Accepts(object("") + "\n---\n" + object(""))
		}, "fatal: want one object with apiVersion and kind, got 2\n"},
		{"no object", func(t testing.TB) { crdtest.New(t, crontabs).Accepts("a: b") },
			"fatal: want one object with apiVersion and kind, got 0\n"},
		{"no YAML", func(t testing.TB) { crdtest.New(t, crontabs).Accepts("{") },
			"fatal: the object: neither YAML nor JSON: line 1: unexpected EOF\n"},
		{"no JSON", func(t testing.TB) { crdtest.New(t, crontabs).Accepts(func() {}) },
			"fatal: encode a document: json: unsupported type: func()\n"},
		{"no file", func(t testing.TB) { crdtest.New(t, crontabs).Accepts(crdtest.Path("testdata/missing.yaml")) },
			"fatal: open testdata/missing.yaml: no such file or directory\n"},
		{"a release without its program", func(t testing.TB) { crdtest.New(t, crontabs, crdtest.Releases("1.37", "1.31", "1.36")) },
			"fatal: the program of Kubernetes 1.31, 1.36 is not installed: run \"crdlab releases add 1.31 1.36\", or add the option crdtest.Approximate()\n"},
		{"a release without any program", func(t testing.TB) { crdtest.New(t, crontabs, crdtest.Releases("1.29")) },
			"fatal: there is no program of Kubernetes 1.29, only of 1.31 and later: judge a later release, or add the option crdtest.Approximate()\n"},
		{"an unknown release", func(t testing.TB) { crdtest.New(t, crontabs, crdtest.Releases("1.37", "2.0")) },
			"fatal: unknown release \"2.0\": crdlab supports 1.25 to 1.37\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := messagesOf(test.test); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func object(spec string) string {
	return "{apiVersion: example.com/v1, kind: CronTab, metadata: {name: a}, spec: {schedule: a, " + spec + "}}"
}

// TestReleases compares the verdicts of two releases: Kubernetes 1.29 does not know isIP.
func TestReleases(t *testing.T) {
	content, err := os.ReadFile(string(crontabs))
	if err != nil {
		t.Fatal(err)
	}
	crd := strings.Replace(string(content), "self == oldSelf", "isIP(self)", 1)
	got := messagesOf(func(t testing.TB) { crdtest.New(t, crd, crdtest.Releases("1.37", "1.29"), crdtest.Approximate()) })
	if !regexp.MustCompile(`(?s)^log: .*1\.29 are approximate.*fatal: Kubernetes 1\.29 rejects the CRD crontabs\.example\.com:.*undeclared reference to 'isIP'`).MatchString(got) {
		t.Errorf("got\n%s", got)
	}
}

// scratch is the test of another module.
const scratch = `package scratch

import (
	"testing"

	"github.com/crdlab/crdlab/crdtest"
)

type cronTab struct {
	APIVersion string            ` + "`json:\"apiVersion\"`" + `
	Kind       string            ` + "`json:\"kind\"`" + `
	Metadata   map[string]string ` + "`json:\"metadata\"`" + `
	Spec       map[string]any    ` + "`json:\"spec\"`" + `
}

func TestCronTab(t *testing.T) {
	object := &cronTab{"example.com/v1", "CronTab", map[string]string{"name": "a"}, map[string]any{"schedule": "@daily"}}
	crdtest.New(t, crdtest.Path("crontabs.yaml")).Accepts(object)
}

func TestManifests(t *testing.T) { crdtest.Run(t, ".") }
`

// TestScratchModule tests from a module of its own. It needs no other module, and finds the
// program in PATH.
func TestScratchModule(t *testing.T) {
	directory := t.TempDir()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	crd, err := os.ReadFile(string(crontabs))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"go.mod":          "module example.com/scratch\n\ngo 1.23\n\nrequire github.com/crdlab/crdlab/crdtest v0.0.0\n\nreplace github.com/crdlab/crdlab/crdtest => " + here + "\n",
		"scratch_test.go": scratch,
		"crontabs.yaml":   string(crd),
		"object.yaml":     object("replicas: 11") + "\n",
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program, err := filepath.Abs(os.Getenv("CRDLAB_BIN"))
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "crdlab")
	if err := os.Symlink(program, link); err != nil {
		t.Skip(err)
	}
	withGo := os.Getenv("PATH")
	goOnly := filepath.Dir(goProgram(t))
	tests := []struct {
		name, path, bin string
		want            string
	}{
		{"the program in PATH", filepath.Dir(link) + string(os.PathListSeparator) + withGo, "",
			`(?s)--- PASS: TestCronTab .*object.yaml:1: unexpected on Kubernetes 1\.\d+: spec.replicas: Invalid value: 11.*--- PASS: TestManifests/crontabs.yaml .*--- FAIL: TestManifests/object.yaml `},
		{"no program", goOnly, "",
			`the program crdlab is not in PATH. Install it, or set CRDLAB_BIN to its path:\n +go install github.com/crdlab/crdlab/cmd/crdlab@latest`},
		{"no program at CRDLAB_BIN", withGo, filepath.Join(directory, "missing"),
			`the variable CRDLAB_BIN: stat .*missing: no such file or directory`},
		{"another program", withGo, "/bin/true",
			`/bin/true does not support this package, update it: go install`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			command := exec.Command(goProgram(t), "test", "-v", ".")
			command.Dir = directory
			command.Env = append(os.Environ(), "PATH="+test.path, "CRDLAB_BIN="+test.bin, "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
			output, err := command.CombinedOutput()
			if err == nil || !regexp.MustCompile(test.want).Match(output) {
				t.Errorf("%v\n%s\nwant %s", err, output, test.want)
			}
		})
	}
	list := exec.Command(goProgram(t), "list", "-m", "all")
	list.Dir, list.Env = directory, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
	output, err := list.Output()
	if want := "example.com/scratch\ngithub.com/crdlab/crdlab/crdtest v0.0.0 => " + here + "\n"; err != nil || string(output) != want {
		t.Errorf("%v: modules\n%swant\n%s", err, output, want)
	}
}

// goProgram returns the path of the go command, whose directory need not contain crdlab.
func goProgram(t *testing.T) string {
	path, err := exec.LookPath("go")
	if err != nil {
		t.Skip(err)
	}
	return path
}
