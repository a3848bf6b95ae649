package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// A hook is an entry of .pre-commit-hooks.yaml.
type hook struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"`
	Description   string   `json:"description"`
	Entry         string   `json:"entry"`
	Args          []string `json:"args"`
	Language      string   `json:"language"`
	Files         string   `json:"files"`
	PassFilenames bool     `json:"pass_filenames"`
}

// TestPreCommitHooks runs the commands of the hooks as pre-commit does: in the root of a
// repository, with the arguments of the hook or of the user's configuration.
func TestPreCommitHooks(t *testing.T) {
	content, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []hook
	if err := yaml.UnmarshalStrict(content, &hooks); err != nil {
		t.Fatal(err)
	}
	crontabs, err := filepath.Abs("../../crdtest/testdata")
	if err != nil {
		t.Fatal(err)
	}
	statuses := map[string]int{"crdlab-check": statusFindings, "crdlab-test": statusAccepted}
	for _, h := range hooks {
		t.Run(h.ID, func(t *testing.T) {
			t.Chdir(crontabs)
			command := append(strings.Fields(h.Entry), h.Args...)
			if h.Args == nil {
				command = append(command, "crontabs.yaml", "objects")
			}
			want, known := statuses[h.ID]
			var out, errors bytes.Buffer
			if got := run(command[1:], nil, &out, &errors); !known || command[0] != "crdlab" || h.PassFilenames || got != want {
				t.Errorf("%v: exit status %d\n%s%s", command, got, &errors, &out)
			}
		})
	}
	if len(hooks) != len(statuses) {
		t.Errorf("%d hooks, want %d", len(hooks), len(statuses))
	}
}
