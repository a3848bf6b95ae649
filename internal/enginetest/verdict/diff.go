package verdict

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// Diff is how two normal verdicts differ, a line for each value; empty if
// they do not.
func Diff(want, got Verdict) string {
	if want.CRD.Conditions == nil || got.CRD.Conditions == nil {
		want.CRD.Conditions, got.CRD.Conditions = nil, nil
	}
	r := &reporter{}
	cmp.Equal(loose(want), loose(got), cmp.Reporter(r))
	return strings.Join(r.lines, "\n")
}

// loose is a verdict as JSON has it, so that an absent list is an empty one.
func loose(v Verdict) any {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("a normal verdict is JSON: %v", err))
	}
	var out any
	if err := json.Unmarshal(data, &out); err != nil {
		panic(fmt.Sprintf("a normal verdict is JSON: %v", err))
	}
	return out
}

// reporter notes where two values differ. It implements the reporter of
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
	var place strings.Builder
	for _, step := range r.path {
		switch step := step.(type) {
		case cmp.MapIndex:
			fmt.Fprintf(&place, ".%v", step.Key())
		case cmp.SliceIndex:
			place.WriteString(step.String())
		}
	}
	r.lines = append(r.lines, "  "+strings.TrimPrefix(place.String(), "."))
	want, got := r.path.Last().Values()
	if want.IsValid() {
		r.lines = append(r.lines, fmt.Sprintf("  - %v", want))
	}
	if got.IsValid() {
		r.lines = append(r.lines, fmt.Sprintf("  + %v", got))
	}
}
