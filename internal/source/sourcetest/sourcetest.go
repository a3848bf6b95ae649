// Package sourcetest holds inputs for the tests of the source packages.
package sourcetest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/source"
)

// Seeds adds the inputs of the cases in a directory and some short inputs to
// the corpus. Together they contain all constructs of YAML.
func Seeds(f *testing.F, directory string) {
	files, _ := filepath.Glob(filepath.Join(directory, "*.txtar"))
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, each := range archive.Files {
			if each.Name == "text" {
				f.Add(string(each.Data))
			}
		}
	}
	for _, text := range []string{
		"", "\x00", "\xff\xfe", "\ufeffa: 1", "a: &a [*a]", "a: &a {<<: *a}", "{\"a\": \"\\ud83d\\ude00\\/\"}",
		"a: |2-\n    x\n   y\n\n", "a: >+\n  x\n\n   y\n  z\n\n", "a: 'x''\n\n  y'", "a: \"x\\\n  y\\x41\\u0042 \t\n z\"",
		"- - - ? a\n      : b\n- !!str &x y\n- *x", "a: b\r\nc:\r  d\u0085e: f\u2028 g", "%YAML 1.1\n---\na\n...\nb", "😀: 😀 # 😀\n",
	} {
		f.Add(text)
	}
}

// LargeCRD generates a CRD of about size bytes, in the style of controller-gen.
func LargeCRD(size int) string {
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

// Visit calls f for all nodes that [source.Location.At] can reach without
// aliases.
func Visit(l source.Location, path []any, f func(source.Location, []any)) {
	if l.Node() == nil || len(path) > 20 {
		return
	}
	f(l, path)
	switch l.Node().Kind {
	case yaml.SequenceNode:
		for i, item := range l.Node().Content {
			if next, ok := l.At(i); ok && item.Kind != yaml.AliasNode {
				Visit(next, append(path, i), f)
			}
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(l.Node().Content); i += 2 {
			next, ok := l.At(l.Node().Content[i].Value)
			if ok && next.Node() == l.Node().Content[i+1] {
				Visit(next, append(path, l.Node().Content[i].Value), f)
			}
		}
	}
}
