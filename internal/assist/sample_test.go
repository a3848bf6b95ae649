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

// TestSamplesOfCases requests samples of every accepted CRD of the cases.
func TestSamplesOfCases(t *testing.T) {
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

// TestSamplesOfCorpus requests samples of the CRDs of real projects.
func TestSamplesOfCorpus(t *testing.T) {
	manifest := corpus.Open(t)
	e, tally := whole.New(), sampleTally{}
	for _, project := range manifest.Projects {
		for _, crd := range project.CRDs {
			tally.check(t, e, crd.File, manifest.Read(t, crd.File))
		}
	}
	tally.report(t, 9)
}

// sampleTally counts the samples and lists the refused ones.
type sampleTally struct {
	count   int
	refused []string
}

// check requests a minimal and a full sample of each served version. Both must be the same
// object. The engine must accept it exactly if no constraint is unsolved.
func (s *sampleTally) check(t *testing.T, e *engine.Engine, name, crd string) {
	report := evaluate(t, e, playground.Scenario{CRD: crd, Now: cases.Now})
	if !report.CRD.Accepted {
		return
	}
	for _, version := range report.CRD.Versions {
		if !version.Served {
			continue
		}
		minimal := respond(t, e, playground.AssistRequest{Sample: &playground.SampleRequest{CRD: crd, Version: version.Name}}).Sample
		full := respond(t, e, playground.AssistRequest{Sample: &playground.SampleRequest{CRD: crd, Version: version.Name, Full: true}}).Sample
		s.count++
		var a, b any
		if err := yaml.Unmarshal([]byte(minimal.Object), &a); err != nil {
			t.Errorf("%s: %v\n%s", name, err, minimal.Object)
			continue
		}
		if err := yaml.Unmarshal([]byte(full.Object), &b); err != nil || !equalJSON(t, a, b) {
			t.Errorf("%s: the full sample is another object (%v)\n%s", name, err, full.Object)
		}
		evaluated := evaluate(t, e, playground.Scenario{CRD: crd, Object: minimal.Object, Now: cases.Now})
		accepted := len(evaluated.Objects) == 1 && evaluated.Objects[0].Accepted
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

// report lists the refused samples and fails if they exceed a fraction of 1/oneIn.
func (s *sampleTally) report(t *testing.T, oneIn int) {
	t.Logf("%d samples, %d refused:\n%s", s.count, len(s.refused), strings.Join(s.refused, "\n"))
	if s.count == 0 || len(s.refused)*oneIn > s.count {
		t.Errorf("%d of %d samples refused", len(s.refused), s.count)
	}
}
