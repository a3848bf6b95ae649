package yamltext_test

import (
	"testing"

	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/sourcetest"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

func BenchmarkNesting(b *testing.B) {
	text := sourcetest.LargeCRD(1 << 20)
	limits := source.DefaultLimits
	budget := yamltext.Budget{MaxDepth: limits.MaxDepth, MaxNodes: limits.MaxNodes, MaxAliases: limits.MaxAliases}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := yamltext.CheckNesting(text, budget); err != nil {
			b.Fatal(err)
		}
	}
}
