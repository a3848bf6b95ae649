package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/sourcetest"
)

// texts returns a generated CRD as YAML and JSON and, if CRDLAB_CORPUS is set,
// the largest CRDs of real projects.
func texts(b *testing.B) map[string]string {
	generated := sourcetest.LargeCRD(1 << 20)
	json, err := kyaml.YAMLToJSON([]byte(generated))
	if err != nil {
		b.Fatal(err)
	}
	texts := map[string]string{"generated": generated, "json": string(json)}
	files, _ := filepath.Glob(filepath.Join(os.Getenv("CRDLAB_CORPUS"), "*", "*.yaml"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) > 600_000 {
			texts[filepath.Base(file)] = string(data)
		}
	}
	return texts
}

var generous = source.Limits{MaxBytes: 1 << 30, MaxNodes: 1 << 30}

func BenchmarkParse(b *testing.B) {
	for name, text := range texts(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := source.Parse(text, generous); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkYAML measures the YAML parser alone, as a baseline.
func BenchmarkYAML(b *testing.B) {
	for name, text := range texts(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				var n yaml.Node
				if err := yaml.Unmarshal([]byte(text), &n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSyntaxError(b *testing.B) {
	text := sourcetest.LargeCRD(1<<20) + "   broken: [\n"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := source.Parse(text, generous); err == nil {
			b.Fatal("no error")
		}
	}
}

// BenchmarkResolve locates a column of a rule deep in a large CRD, in YAML and
// in JSON that consists of one long line with non-ASCII characters.
func BenchmarkResolve(b *testing.B) {
	text := sourcetest.LargeCRD(1 << 20)
	json, err := kyaml.YAMLToJSON([]byte(text))
	if err != nil {
		b.Fatal(err)
	}
	texts := map[string]string{
		"yaml": text,
		"json": strings.ReplaceAll(string(json), "quotes", "😀"),
	}
	const field = "spec.validation.openAPIV3Schema.properties[spec].properties[field999].x-kubernetes-validations[0].rule"
	for name, text := range texts {
		file, err := source.Parse(text, generous)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l, _ := finding.LocateCRD(file.Documents[0], field)
				if r := l.RangeAt(1, 6); !l.Exact || r.End.Character-r.Start.Character != 3 {
					b.Fatal(r)
				}
			}
		})
	}
}
