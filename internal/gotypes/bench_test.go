package gotypes_test

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
)

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
	b.Run("pasted", func(b *testing.B) {
		for b.Loop() {
			answer, err := generated(b, playground.GenerateRequest{Text: types.String()})
			if err != nil || len(answer.Origins) < 900 {
				b.Fatalf("%d origins, error %v", len(answer.Origins), err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		plain := strings.Replace(types.String(), "corev1.PodTemplateSpec", "corev1.LocalObjectReference", 1)
		for b.Loop() {
			if _, err := generated(b, playground.GenerateRequest{Text: plain}); err != nil {
				b.Fatal(err)
			}
		}
	})
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
