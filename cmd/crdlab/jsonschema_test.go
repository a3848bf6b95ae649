package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/inspect"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// TestJSONSchemaOfCases compares the JSON Schemas with the verdicts on the engine's cases.
func TestJSONSchemaOfCases(t *testing.T) {
	in := manifest.NewInput()
	root := filepath.Join("..", "..", "internal", "engine", "testdata")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".yaml") {
				in.Add(filepath.Join(path, file.Name), string(file.Data))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	compareSchemas(t, in)
}

// TestJSONSchemaOfCorpus compares the JSON Schemas with the verdicts on the directory
// CRDLAB_CORPUS.
func TestJSONSchemaOfCorpus(t *testing.T) {
	compareSchemas(t, load.Reader{}.Read(t.Context(), []string{corpus.Open(t).Directory}))
}

// compareSchemas fails if a schema refuses an object that crdlab accepts, or if a strict schema
// refuses one without unknown fields.
func compareSchemas(t *testing.T, in *manifest.Input) {
	t.Helper()
	schemas := schemas{t: t, byVersion: map[string]*jsonschema.Schema{}}
	programs := releases.Open(t.TempDir())
	result, err := check.Run(t.Context(), in, check.Options{
		Releases: []string{"1.37"}, FieldValidation: playground.FieldValidationWarn,
		NewEngine: func() check.Engine { return newEngine(programs) },
		Before:    func(d *manifest.Document, s *playground.Scenario) { s.Schemas = d.IsCRD }, After: schemas.add,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range jsonSchemas {
		counts := map[string]int{}
		for _, d := range result.Documents {
			var object any
			schema := schemas.byVersion[string(part)+d.CRD+d.APIVersion]
			if schema == nil || yaml.Unmarshal([]byte(d.Source().Text), &object) != nil {
				continue
			}
			accepted := d.Verdicts[0].Accepted
			if part == inspect.PartStrict {
				accepted = accepted && !slices.ContainsFunc(d.Verdicts[0].Findings, func(f manifest.Finding) bool {
					return strings.Contains(f.Message, "unknown field")
				})
			}
			err := schema.Validate(object)
			counts[fmt.Sprintf("accepted %v, refused %v", accepted, err != nil)]++
			if accepted && err != nil {
				t.Errorf("%s:%d: %v", d.Path, d.Line, err)
			}
		}
		if t.Logf("%s: %v", part, counts); counts["accepted true, refused false"] == 0 || counts["accepted false, refused true"] == 0 {
			t.Errorf("%s: nothing is compared", part)
		}
	}
}

var jsonSchemas = []inspect.Part{inspect.PartJSONSchema, inspect.PartStrict}

// schemas holds compiled schemas by their part, the position of the CRD and the apiVersion.
type schemas struct {
	t         *testing.T
	access    sync.Mutex
	byVersion map[string]*jsonschema.Schema
}

// add compiles the schemas of a CRD.
func (s *schemas) add(d, crd *manifest.Document, report playground.Report) {
	if d != crd {
		return
	}
	for _, part := range jsonSchemas {
		for _, p := range inspect.PublishedBy(inspect.Subject{Group: check.Group{CRD: crd}, Report: report}, inspect.AllVersions, part) {
			document, err := jsonschema.UnmarshalJSON(bytes.NewReader(p.Document))
			compiler := jsonschema.NewCompiler()
			err = errors.Join(err, compiler.AddResource(p.File, document))
			schema, invalid := compiler.Compile(p.File)
			if err = errors.Join(err, invalid); err != nil {
				s.t.Errorf("%s:%d: %v", p.CRD.Path, p.CRD.Line, err)
				continue
			}
			s.access.Lock()
			s.byVersion[fmt.Sprintf("%s%s:%d%s/%s", part, p.CRD.Path, p.CRD.Line, report.CRD.Group, p.Version)] = schema
			s.access.Unlock()
		}
	}
}
