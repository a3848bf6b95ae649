package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/procpool"
)

// asChild makes the test's binary a process of the pool, as the server's is.
const asChild = "CRDLAB_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(asChild) == "" {
		os.Exit(m.Run())
	}
	if err := evaluate(); err != nil {
		os.Exit(1)
	}
}

// TestCasesOverHTTP sends each case of the engine through a listener and a
// process of the pool; the report has to be the case's to the byte.
func TestCasesOverHTTP(t *testing.T) {
	pool := procpool.New(func() *exec.Cmd {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), asChild+"=1")
		command.Stderr = os.Stderr
		return command
	})
	defer pool.Close()
	app, stop := start(t, pool.Evaluate)
	files, err := filepath.Glob("../../internal/engine/testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		name := filepath.Join(filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".txtar"))
		t.Run(name, func(t *testing.T) {
			scenario, want := readCase(t, file)
			if got := evaluateOverHTTP(t, app.url(), scenario); got != want {
				at := difference(got, want)
				t.Errorf("report differs:\ngot  …%.200s\nwant …%.200s", got[at:], want[at:])
			}
		})
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// difference is a place shortly before the first byte in which two texts differ.
func difference(a, b string) int {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	return max(at-50, 0)
}

// readCase is the JSON of a case's scenario, and its report as compact JSON.
func readCase(t *testing.T, file string) (scenario []byte, want string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fields := map[string]any{"now": "2026-01-02T03:04:05Z"}
	var compact bytes.Buffer
	for _, f := range archive.Files {
		switch {
		case f.Name == "scenario.json":
			err = json.Unmarshal(f.Data, &fields)
		case f.Name == "want.json":
			err = json.Compact(&compact, f.Data)
		default:
			fields[fieldOf(f.Name)] = string(f.Data)
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	scenario, err = json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return scenario, compact.String()
}

// fieldOf is the field of a scenario for a file: oldCrd for old-crd.yaml.
func fieldOf(file string) string {
	words := strings.Split(strings.TrimSuffix(file, ".yaml"), "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return strings.Join(words, "")
}

var timing = regexp.MustCompile(`"timing":\{[^}]*\}`)

// evaluateOverHTTP is the report as the server writes it, without its times.
func evaluateOverHTTP(t *testing.T, url string, scenario []byte) string {
	t.Helper()
	response, err := http.Post(url+"/api/v1/evaluate", "application/json", bytes.NewReader(scenario))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	untimed := timing.ReplaceAll(bytes.TrimSuffix(body, []byte("\n")), []byte(`"timing":{"crd":0,"object":0}`))
	return string(untimed)
}
