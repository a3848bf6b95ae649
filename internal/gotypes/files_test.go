package gotypes_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/gotypes"
)

// TestFiles divides texts into files. The module's path comes from an import.
func TestFiles(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"package v1\n", "-- types.go --\npackage v1\n"},
		{"// Package v1 is an API.\npackage v1\n// a.go has more\n", "-- types.go --\n// Package v1 is an API.\npackage v1\n// a.go has more\n"},
		{"\n// api/v1/a.go\npackage v1\n// b/b.go\npackage b\n", "-- api/v1/a.go --\npackage v1\n-- b/b.go --\npackage b\n"},
		{"package v1\n// b/b.go\npackage b\n", "-- types.go --\npackage v1\n-- b/b.go --\npackage b\n"},
		{"-- api/v1/a.go --\n// b.go\npackage v1\n", "-- api/v1/a.go --\n// b.go\npackage v1\n"},
	} {
		if got := string(txtar.Format(gotypes.Files(test.text))); got != test.want {
			t.Errorf("%q: got\n%s\nwant\n%s", test.text, got, test.want)
		}
	}
	tree, err := txtar.FS(gotypes.Files(`// api/v1/types.go
// +groupName=batch.example.com
package v1

import (
	"github.com/someone/operator/api/common"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type CronTab struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Level common.Level ` + "`json:\"level\"`" + `
}
// api/common/types.go
package common

// +kubebuilder:validation:MaxLength=8
type Level string
`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := gotypes.LoadFiles(tree, []string{"./..."}, gotypes.Options{})
	if err != nil || len(g.Problems) > 0 || len(g.CRDs) != 1 || !strings.Contains(g.CRDs[0].YAML, "maxLength: 8\n") {
		t.Errorf("got %+v, error %v", g, err)
	}
}

// BenchmarkLoad generates the CRD of a package with 1,000 lines.
func BenchmarkLoad(b *testing.B) {
	var types strings.Builder
	types.WriteString("// +groupName=batch.example.com\npackage v1\n\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n)\n\n")
	types.WriteString("type CronTab struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tPod corev1.PodTemplateSpec `json:\"pod\"`\n")
	for i := range 490 {
		fmt.Fprintf(&types, "\t// +kubebuilder:validation:MaxLength=%d\n\tF%d string `json:\"f%d\"`\n", i, i, i)
	}
	types.WriteString("}\n")
	archive := &txtar.Archive{Files: []txtar.File{{Name: "api/v1/types.go", Data: []byte(types.String())}}}
	b.Run("go", func(b *testing.B) {
		directory := writeModule(b, archive)
		for b.Loop() {
			if _, err := gotypes.Load(b.Context(), directory, []string{"./..."}, gotypes.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("without-go", func(b *testing.B) {
		tree := goFiles(b, archive)
		for b.Loop() {
			if _, err := gotypes.LoadFiles(tree, []string{"./..."}, gotypes.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
