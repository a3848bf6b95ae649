package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFile is the schema of OASIS for SARIF in a module of the linters.
const schemaFile = "github.com/securego/gosec/v2@*/report/sarif/testdata/sarif-schema-2.1.0.json"

// TestSARIFSchema compares the results of the commands with the schema of SARIF.
func TestSARIFSchema(t *testing.T) {
	modules, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(modules)), filepath.FromSlash(schemaFile)))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skip("the linters, whose module has the schema, are not downloaded")
	}
	schema, err := jsonschema.NewCompiler().Compile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, script := range []string{"test", "diff"} {
		files, err := txtar.ParseFile(filepath.Join("testdata", script+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		if err := txtar.Write(files, filepath.Join(dir, script)); err != nil {
			t.Fatal(err)
		}
	}
	for _, arguments := range [][]string{
		{"check", exampleTests, "missing.yaml"},
		{"test", filepath.Join(dir, "test", "crd.yaml"), filepath.Join(dir, "test", "fail.yaml"), "missing.yaml"},
		{"diff", "--verbose", "--objects", "missing.yaml", filepath.Join(dir, "diff", "old"), filepath.Join(dir, "diff", "new")},
	} {
		t.Run(arguments[0], func(t *testing.T) {
			var out, errors bytes.Buffer
			if status := run(append(arguments, "--output", "sarif"), nil, &out, &errors); status != statusUsage {
				t.Fatalf("exit status %d\n%s", status, &errors)
			}
			log, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(log); err != nil {
				t.Errorf("%#v", err)
			}
		})
	}
}
