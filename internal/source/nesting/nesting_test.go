package nesting_test

import (
	"testing"

	"github.com/crdlab/crdlab/internal/source/limits"
	"github.com/crdlab/crdlab/internal/source/nesting"
	"github.com/crdlab/crdlab/internal/source/sourcetest"
)

func BenchmarkNesting(b *testing.B) {
	text := sourcetest.LargeCRD(1 << 20)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := nesting.Check(text, *limits.NewBudget(limits.Default)); err != nil {
			b.Fatal(err)
		}
	}
}
