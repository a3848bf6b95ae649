//go:build !js

package assist_test

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestSamplesOfTheCases makes samples of every CRD that the cases accept.
func TestSamplesOfTheCases(t *testing.T) {
	e, tally, seen := whole.New(), sampleTally{}, map[string]bool{}
	for _, c := range readCases(t) {
		if seen[c.Scenario.CRD] {
			continue
		}
		seen[c.Scenario.CRD] = true
		tally.check(t, e, c.Name, c.Scenario.CRD)
	}
	tally.report(t, 9)
}

// TestSamplesOfTheCorpus does so with those of real projects.
func TestSamplesOfTheCorpus(t *testing.T) {
	manifest := corpus.Open(t)
	e, tally := whole.New(), sampleTally{}
	for _, project := range manifest.Projects {
		for _, crd := range project.CRDs {
			tally.check(t, e, crd.File, manifest.Read(t, crd.File))
		}
	}
	tally.report(t, 9)
}

// sampleTally counts the samples, and those that are refused.
type sampleTally struct {
	made    int
	refused []string
}

// check makes the samples of each served version. The engine has to accept
// those of which nothing is unsolved, and the two have to be the same object.
func (s *sampleTally) check(t *testing.T, e *engine.Engine, name, crd string) {
	report := evaluate(t, e, playground.Scenario{CRD: crd, Now: cases.Now})
	if !report.CRD.Accepted {
		return
	}
	for _, version := range report.CRD.Versions {
		if !version.Served {
			continue
		}
		minimal := help(t, e, playground.Question{Sample: &playground.SampleRequest{CRD: crd, Version: version.Name}}).Sample
		full := help(t, e, playground.Question{Sample: &playground.SampleRequest{CRD: crd, Version: version.Name, Full: true}}).Sample
		s.made++
		var a, b any
		if err := yaml.Unmarshal([]byte(minimal.Object), &a); err != nil {
			t.Errorf("%s: %v\n%s", name, err, minimal.Object)
			continue
		}
		if err := yaml.Unmarshal([]byte(full.Object), &b); err != nil || !equalJSON(t, a, b) {
			t.Errorf("%s: the full sample is another object (%v)\n%s", name, err, full.Object)
		}
		judged := evaluate(t, e, playground.Scenario{CRD: crd, Object: minimal.Object, Now: cases.Now})
		accepted := len(judged.Objects) == 1 && judged.Objects[0].Accepted
		if accepted != (len(minimal.Unsolved) == 0) {
			t.Errorf("%s: accepted %v, unsolved %q\n%s", name, accepted, minimal.Unsolved, minimal.Object)
		}
		if !accepted {
			s.refused = append(s.refused, name+" "+version.Name+": "+strings.Join(minimal.Unsolved, "; "))
		}
	}
}

func equalJSON(t *testing.T, a, b any) bool {
	first, err := encodeJSON(a)
	if err != nil {
		t.Fatal(err)
	}
	second, err := encodeJSON(b)
	if err != nil {
		t.Fatal(err)
	}
	return first == second
}

// report fails if more than one in so many samples is refused, and lists them.
func (s *sampleTally) report(t *testing.T, oneIn int) {
	t.Logf("%d samples, of which %d are refused:\n%s", s.made, len(s.refused), strings.Join(s.refused, "\n"))
	if s.made == 0 || len(s.refused)*oneIn > s.made {
		t.Errorf("of %d samples %d are refused", s.made, len(s.refused))
	}
}
