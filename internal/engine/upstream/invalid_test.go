package upstream_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/upstream"
)

// TestInvalid compares Invalid with the function of the API server that it replaces.
func TestInvalid(t *testing.T) {
	kind := schema.GroupKind{Group: "example.com", Kind: "Thing"}
	required := field.Required(field.NewPath("spec", "a"), "")
	wrong := field.TypeInvalid(field.NewPath("spec", "b"), 1, "must be a string")
	for name, errs := range map[string]field.ErrorList{
		"no error":          nil,
		"an error":          {required},
		"a repeated one":    {required, required},
		"several errors":    {required, wrong, field.Invalid(nil, nil, "no rules were checked")},
		"one of them twice": {required, wrong, required},
	} {
		t.Run(name, func(t *testing.T) {
			want := apierrors.NewInvalid(kind, "a", errs).Status()
			if diff := cmp.Diff(want, upstream.Invalid(kind, "a", errs).Status()); diff != "" {
				t.Errorf("(-upstream +own)\n%s", diff)
			}
		})
	}
}
