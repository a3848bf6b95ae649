package main

import (
	"context"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/web"
)

var update = flag.Bool("update", false, "write the expected output of the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"crdlab": main, "kubectl-crdlab": main, "etcd": main, "kube-apiserver": main})
}

// TestScripts runs the scripts in testdata. Each starts in a directory with its files.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata",
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "binary": writeBinary, "large": writeLarge, "await": await, "linked": writeLinked,
		},
		// The page is built separately.
		Condition: func(name string) (bool, error) {
			_, err := fs.Stat(web.Dist(), "manifest.json")
			switch name {
			case "page":
				return err == nil, nil
			case "root":
				return os.Getuid() == 0, nil
			case "releases":
				_, err := os.Stat(filepath.Join("..", "..", "dist", "programs", "1.31"))
				return err == nil && os.Getenv("CRDLAB_PROGRAMS") != "", nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("GO", runtime.Version())
			env.Setenv("KUBERNETES", engine.Library)
			repository, err := filepath.Abs("../..")
			if err != nil {
				return err
			}
			env.Setenv("REPOSITORY", repository)
			programs, _, _ := strings.Cut(env.Getenv("PATH"), string(filepath.ListSeparator))
			env.Setenv("PROGRAMS", programs) // the directory of crdlab, without other programs
			setGoCaches(env)
			return serveFiles(env)
		},
	})
}

// setGoCaches lets the go command of a script use the caches of this process. Scripts have
// no home directory.
func setGoCaches(env *testscript.Env) {
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOPROXY"} {
		if value, err := exec.CommandContext(context.Background(), "go", "env", name).Output(); err == nil {
			env.Setenv(name, strings.TrimSpace(string(value)))
		}
	}
}

// writeLinked is the script command "linked". It writes the scenario of the link in standard output into
// the files linked.go, linked-crd.yaml and linked-object.yaml.
func writeLinked(script *testscript.TestScript, _ bool, _ []string) {
	scenario, _, err := share.FromLink(strings.TrimSpace(script.ReadFile("stdout")))
	script.Check(err)
	for name, text := range map[string]string{"linked.go": scenario.Go, "linked-crd.yaml": scenario.CRD, "linked-object.yaml": scenario.Object} {
		script.Check(os.WriteFile(script.MkAbs(name), []byte(text), 0o600))
	}
}

// exits is the script command "exits STATUS COMMAND [ARGUMENT...]". It runs a command,
// and fails unless the command ends with the status.
func exits(script *testscript.TestScript, negated bool, arguments []string) {
	if negated || len(arguments) < 2 {
		script.Fatalf("usage: exits STATUS COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(arguments[0])
	script.Check(err)
	got := 0
	if err := script.Exec(arguments[1], arguments[2:]...); err != nil {
		exit := (*exec.ExitError)(nil)
		if !errors.As(err, &exit) {
			script.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		script.Fatalf("exit status %d, want %d", got, want)
	}
}

// await is the script command "await FILE REGEXP". It waits until the file of a program in the
// background has a match.
func await(script *testscript.TestScript, _ bool, arguments []string) {
	pattern := regexp.MustCompile(arguments[1])
	for range 3000 {
		if text, err := os.ReadFile(script.MkAbs(arguments[0])); err == nil && pattern.Match(text) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	text, _ := os.ReadFile(script.MkAbs(arguments[0]))
	script.Fatalf("%s has no match of %s:\n%s", arguments[0], arguments[1], text)
}

// kubeconfigOf is a kubeconfig file without the address of its cluster.
const kubeconfigOf = `apiVersion: v1
kind: Config
current-context: test
contexts:
- {name: test, context: {cluster: test}}
clusters:
- {name: test, cluster: {server: %q}}
`

// serveFiles serves the files of a script at the https address in the variable URL, and its
// directory apis as the API of the cluster in the variable KUBECONFIG. The program trusts
// its certificate.
func serveFiles(env *testscript.Env) error {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(env.WorkDir)))
	mux.HandleFunc("/cut/", func(w http.ResponseWriter, _ *http.Request) { // a connection that ends too early
		w.Header().Set("Content-Length", "1000000")
	})
	mux.Handle("/redirect", http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound))
	server := httptest.NewTLSServer(mux)
	env.Defer(server.Close)
	mux.HandleFunc("/apis/", func(w http.ResponseWriter, r *http.Request) { // as a cluster
		w.Header().Set("Content-Type", "application/json")
		http.ServeFile(w, r, filepath.Join(env.WorkDir, filepath.FromSlash(r.URL.Path)))
	})
	kubeconfig := filepath.Join(env.WorkDir, ".tmp", "kubeconfig")
	env.Setenv("KUBECONFIG", kubeconfig)
	if err := os.WriteFile(kubeconfig, fmt.Appendf(nil, kubeconfigOf, server.URL), 0o600); err != nil {
		return err
	}
	certificate := filepath.Join(env.WorkDir, ".tmp", "certificate.pem")
	env.Setenv("URL", server.URL)
	env.Setenv("SSL_CERT_FILE", certificate)
	return os.WriteFile(certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600)
}

// writeBinary is the script command "binary FILE". It writes a file with null bytes.
func writeBinary(script *testscript.TestScript, _ bool, arguments []string) {
	script.Check(os.WriteFile(script.MkAbs(arguments[0]), []byte("\x7fELF\x00\x01"), 0o600))
}

// writeLarge is the script command "large FILE". It writes a file of 200 MB, which occupies
// no disk space.
func writeLarge(script *testscript.TestScript, _ bool, arguments []string) {
	script.Check(os.WriteFile(script.MkAbs(arguments[0]), nil, 0o600))
	script.Check(os.Truncate(script.MkAbs(arguments[0]), 200_000_000))
}
