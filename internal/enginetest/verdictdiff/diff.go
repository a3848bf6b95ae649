// Package verdictdiff compares verdicts in tests. The engine does not contain it,
// because its comparison library is large.
package verdictdiff

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/crdlab/crdlab/internal/verdict"
)

// Describe lists the differences between two normalized verdicts: the path of
// each difference, then the two values on a line each. It returns "" for equal
// verdicts. Conditions are compared only if both verdicts have them. So are names that
// the controllers refuse.
func Describe(want, got verdict.Verdict) string {
	if want.CRD.Conditions == nil || got.CRD.Conditions == nil {
		for _, c := range append(want.CRD.Conditions, got.CRD.Conditions...) {
			if c.Type == string(apiextensionsv1.NamesAccepted) && c.Status == string(apiextensionsv1.ConditionFalse) {
				want.CRD.Names, got.CRD.Names = nil, nil
			}
		}
		want.CRD.Conditions, got.CRD.Conditions = nil, nil
	}
	r := &reporter{}
	cmp.Equal(toJSON(want), toJSON(got), cmp.Reporter(r))
	return strings.Join(r.lines, "\n")
}

// toJSON returns a verdict as decoded JSON, in which an absent list equals an
// empty one.
func toJSON(v verdict.Verdict) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a normalized verdict: %v", err))
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(fmt.Sprintf("decode a normalized verdict: %v", err))
	}
	return out
}

// A reporter collects differences. It implements the interface of
// [cmp.Reporter].
type reporter struct {
	path  cmp.Path
	lines []string
}

func (r *reporter) PushStep(step cmp.PathStep) { r.path = append(r.path, step) }
func (r *reporter) PopStep()                   { r.path = r.path[:len(r.path)-1] }

func (r *reporter) Report(result cmp.Result) {
	if result.Equal() {
		return
	}
	var path strings.Builder
	for _, step := range r.path {
		switch step := step.(type) {
		case cmp.MapIndex:
			fmt.Fprintf(&path, ".%v", step.Key())
		case cmp.SliceIndex:
			path.WriteString(step.String())
		}
	}
	r.lines = append(r.lines, "  "+strings.TrimPrefix(path.String(), "."))
	want, got := r.path.Last().Values()
	if want.IsValid() {
		r.lines = append(r.lines, fmt.Sprintf("  - %v", want))
	}
	if got.IsValid() {
		r.lines = append(r.lines, fmt.Sprintf("  + %v", got))
	}
}
