package quickfix_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/generate"
	"github.com/crdlab/crdlab/internal/playground"
)

// generated is the number of random scenarios, and generatedShort the number in a short run.
const generated, generatedShort = 2000, 200

// TestEffectsOfFixes finds the effect of each fix of an accepted CRD and its admission by
// evaluation. A fix that accepts more objects says so.
func TestEffectsOfFixes(t *testing.T) {
	found := map[playground.FixEffect]int{}
	var seeds []generate.Seed
	for _, c := range readCases(t) {
		checkEffects(t, c.Name, c.Scenario, found)
		if seed, ok := generate.NewSeed(c.Name, c.Scenario.CRD, c.Scenario.Object, cases.Now); ok {
			seeds = append(seeds, seed)
		}
	}
	n := generated
	if testing.Short() {
		n = generatedShort
	}
	generator := generate.New(seeds, 1)
	for i := range n {
		m := generator.Mutant(i)
		checkEffects(t, m.Seed+": "+m.Change, m.Scenario, found)
	}
	t.Logf("fixes by their effect: %v", found)
	if found[playground.FixWidens] == 0 || found[playground.FixNarrows] == 0 || found[playground.FixKeeps] == 0 {
		t.Error("an effect does not occur")
	}
}

// saysEffect matches the titles of fixes that accept more objects.
var saysEffect = regexp.MustCompile(`^(?:Accept|Skip|Judge|Leave) `)

// corrects matches the titles of fixes that correct a name or a type: the objects are judged as the
// author wrote, and perhaps accepted.
var corrects = regexp.MustCompile(`^(?:Replace with|Rename to|Write) `)

// ofFormat matches the titles of fixes that set a format. With a format that it knows, the API server
// accepts lists where the type is string.
var ofFormat = regexp.MustCompile(`^Set format: `)

func checkEffects(t *testing.T, name string, s playground.Scenario, found map[playground.FixEffect]int) {
	t.Helper()
	if !evaluate(t, s).CRD.Accepted {
		return
	}
	for _, f := range findingsOf(t, s) {
		for _, fix := range f.Fixes {
			fixed := applyFix(s, fix)
			if fixed.CRD == s.CRD && fixed.Admission == s.Admission || !evaluate(t, fixed).CRD.Accepted {
				continue
			}
			effect, object := foundEffect(t, s, fixed)
			found[effect]++
			if fix.Effect == playground.FixKeeps && s.OldObject != "" {
				continue // The update of an invalid object may leave a failed rule as it is, but no error in it.
			}
			isStated := fix.Effect == playground.FixWidens && saysEffect.MatchString(fix.Title)
			if effect == playground.FixWidens && !isStated && !corrects.MatchString(fix.Title) && !ofFormat.MatchString(fix.Title) {
				t.Errorf("%s: %q does not say that it accepts an object:\n%s", name, fix.Title, object)
			}
			if fix.Effect == playground.FixWidens && fix.Safe {
				t.Errorf("%s: %q accepts more objects, and counts as safe", name, fix.Title)
			}
		}
	}
}

// foundEffect finds the effect of a fix on the objects of the scenario, and on the objects that
// distinguish the two CRDs. object is newly accepted.
func foundEffect(t *testing.T, before, after playground.Scenario) (effect playground.FixEffect, object string) {
	t.Helper()
	first, second := evaluate(t, before), evaluate(t, after)
	narrows := false
	for i := range min(len(first.Objects), len(second.Objects)) {
		switch was, is := first.Objects[i], second.Objects[i]; {
		case !was.Accepted && was.Status.Code != 0 && is.Accepted:
			return playground.FixWidens, strings.Join([]string{is.APIVersion, is.Kind, is.Name}, " ")
		case was.Accepted && !is.Accepted && is.Status.Code != 0:
			narrows = true
		}
	}
	refused := func(old, new string) string {
		report := evaluate(t, playground.Scenario{CRD: new, OldCRD: old, FieldValidation: before.FieldValidation})
		for _, c := range report.CRD.Changes {
			if c.Witness != nil && c.Witness.Effect == playground.WitnessRejected {
				return c.Witness.Object
			}
		}
		return ""
	}
	if before.CRD != after.CRD {
		if object := refused(after.CRD, before.CRD); object != "" {
			return playground.FixWidens, object
		}
		narrows = narrows || refused(before.CRD, after.CRD) != ""
	}
	if narrows {
		return playground.FixNarrows, ""
	}
	return playground.FixKeeps, ""
}
