package source

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"
)

// largeCRD is a CRD of about size bytes in the style of generated ones.
func largeCRD(size int) string {
	var b strings.Builder
	b.WriteString("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\nspec:\n  versions:\n  - name: v1\n    schema:\n      openAPIV3Schema:\n        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n")
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `              field%d:
                description: |-
                  Field%d says what is to be done with the widget. It has
                  several lines, as descriptions do, and "quotes" in them.
                type: object
                x-kubernetes-validations:
                - rule: "self.min <= self.max || !has(self.max)"
                  message: min must not be more than max
                properties:
                  min: {type: integer, minimum: 0}
                  max:
                    type: integer
                    description: The largest value that is possible at all,
                      where more would be too much.
`, i, i)
	}
	return b.String()
}

// texts are a generated CRD and, where CRDLAB_CORPUS is set, the largest ones
// of real projects.
func texts(b *testing.B) map[string]string {
	generated := largeCRD(1 << 20)
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

var generous = Limits{MaxBytes: 1 << 30, MaxNodes: 1 << 30}

func BenchmarkParse(b *testing.B) {
	for name, text := range texts(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := Parse(text, generous); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkYAML is what the YAML parser alone needs, to compare with.
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

func BenchmarkNesting(b *testing.B) {
	text := largeCRD(1 << 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := checkNesting(text, budget{limits: DefaultLimits}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSyntaxError(b *testing.B) {
	text := largeCRD(1<<20) + "   broken: [\n"
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(text, generous); err == nil {
			b.Fatal("no error")
		}
	}
}

// BenchmarkResolve finds a column of a rule deep in a large CRD: in YAML, and
// on the one long line of JSON with characters beyond ASCII.
func BenchmarkResolve(b *testing.B) {
	text := largeCRD(1 << 20)
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
		file, err := Parse(text, generous)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				l, _ := file.Documents[0].ResolveCRD(field)
				if r := l.RangeAt(1, 6); !l.Exact || r.End.Character-r.Start.Character != 3 {
					b.Fatal(r)
				}
			}
		})
	}
}
