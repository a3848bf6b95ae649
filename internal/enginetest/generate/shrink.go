package generate

import (
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// Shrink removes as much of a scenario as possible while fails returns true, and
// stops when the time limit is over.
func Shrink(s playground.Scenario, limit time.Duration, fails func(playground.Scenario) bool) playground.Scenario {
	deadline := time.Now().Add(limit)
	for _, field := range []*string{&s.OldObject, &s.OldCRD, &s.Object, &s.FieldValidation, &s.Operation, &s.CRDOperation} {
		kept := *field
		*field = ""
		if kept != "" && !fails(s) {
			*field = kept
		}
	}
	for _, document := range []*string{&s.Object, &s.CRD, &s.OldObject, &s.OldCRD} {
		shrinkDocument(document, deadline, func() bool { return fails(s) })
	}
	return s
}

// shrinkDocument removes fields and items from a document while fails returns
// true for its scenario.
func shrinkDocument(document *string, deadline time.Time, fails func() bool) {
	original := *document
	t := parse(original)
	if t == nil {
		return
	}
	*document = render(t, false)
	if !fails() {
		*document = original // the failure depends on the notation
		return
	}
	for removed := true; removed && time.Now().Before(deadline); {
		removed = false
		for i := 0; i < len(places(t)) && time.Now().Before(deadline); i++ {
			smaller := clone(t)
			places(smaller)[i].remove()
			kept := *document
			*document = render(smaller, false)
			if fails() {
				t, removed = smaller, true
				i--
				continue
			}
			*document = kept
		}
	}
}
