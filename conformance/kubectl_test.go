package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
)

// TestMain runs kubectl if the program has this name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "kubectl" {
		os.Exit(cli.Run(cmd.NewDefaultKubectlCommand()))
	}
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "write the output of kubectl to its file")

// varying matches what differs between two runs: ages, times, names of files, and
// identities of objects.
var varying = regexp.MustCompile(`\b\d+m?s\b|/\S*/(LIVE|MERGED)-\d+|\d{4}-\d\d-\d\d[T ]\S+( [-+]\d+)?|(resourceVersion|uid): \S+`)

// TestKubectl runs kubectl on crdlab apiserver, and compares its output. KUBECTL names the program; if it is
// empty, it is kubectl of the newest release.
func TestKubectl(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/kubectl.txtar")
	if err != nil {
		t.Fatal(err)
	}
	directory := t.TempDir()
	kubectl := os.Getenv("KUBECTL")
	if kubectl == "" {
		if kubectl, err = os.Executable(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(kubectl, filepath.Join(directory, "kubectl")); err != nil {
		t.Fatal(err)
	}
	var want string
	for _, file := range archive.Files {
		if file.Name == "want" {
			want = string(file.Data)
		} else if err := os.WriteFile(filepath.Join(directory, file.Name), file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	crdlab, err := filepath.Abs("../bin/crdlab")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(crdlab, "apiserver", "crd.yaml", "--", "sh", "script")
	command.Dir = directory
	command.Env = append(os.Environ(), "PATH="+directory+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+directory)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Error(err)
	}
	// Older releases of kubectl do not say from where they delete an object.
	got := varying.ReplaceAllString(strings.ReplaceAll(string(output), " from default namespace", ""), "…")
	if *update {
		archive.Files[len(archive.Files)-1].Data = []byte(got)
		if err := os.WriteFile("testdata/kubectl.txtar", txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
