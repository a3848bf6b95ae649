package generate

import (
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// Shrink removes from a scenario what it can do without and still fail, and
// gives up after a while. A failure is whatever fails says it is.
func Shrink(s playground.Scenario, limit time.Duration, fails func(playground.Scenario) bool) playground.Scenario {
	deadline := time.Now().Add(limit)
	for _, text := range []*string{&s.OldObject, &s.OldCRD, &s.Object, &s.FieldValidation, &s.Operation} {
		kept := *text
		*text = ""
		if kept != "" && !fails(s) {
			*text = kept
		}
	}
	for _, text := range []*string{&s.Object, &s.CRD, &s.OldObject, &s.OldCRD} {
		shrinkText(text, deadline, func() bool { return fails(s) })
	}
	return s
}

// shrinkText removes fields and items while fails says that the scenario,
// which text is a part of, still fails.
func shrinkText(text *string, deadline time.Time, fails func() bool) {
	original := *text
	t := parse(original)
	if t == nil {
		return
	}
	*text = render(t, false)
	if !fails() {
		*text = original // what matters is in the text and not in the tree
		return
	}
	for removed := true; removed && time.Now().Before(deadline); {
		removed = false
		for i := 0; i < len(places(t)) && time.Now().Before(deadline); i++ {
			smaller := clone(t)
			places(smaller)[i].remove()
			kept := *text
			*text = render(smaller, false)
			if fails() {
				t, removed = smaller, true
				i--
				continue
			}
			*text = kept
		}
	}
}
