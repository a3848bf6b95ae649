//go:build !js

package assist_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestSamplesOfCases requests samples of every accepted CRD of the cases.
func TestSamplesOfCases(t *testing.T) {
	e, tally, seen := engine.New(), sampleTally{}, map[string]bool{}
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
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
	manifest := corpus.Open(t)
	e, tally := engine.New(), sampleTally{}
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

// check requests a minimal and a full sample of each served version. The full sample may have
// more fields. The engine must accept both exactly if no constraint is unsolved.
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
		accepted := false
		for _, sample := range []*playground.SampleResult{full, minimal} {
			evaluated := evaluate(t, e, playground.Scenario{CRD: crd, Object: sample.Object, Now: cases.Now})
			accepted = len(evaluated.Objects) == 1 && evaluated.Objects[0].Accepted
			if accepted != (len(sample.Unsolved) == 0) {
				t.Errorf("%s: accepted %v, unsolved %q\n%s", name, accepted, sample.Unsolved, sample.Object)
			}
		}
		if accepted {
			checkUncommenting(t, name, full.Object)
		}
		if !accepted {
			s.refused = append(s.refused, name+" "+version.Name+": "+strings.Join(minimal.Unsolved, "; "))
		}
	}
}

// commentedField matches a line that has one field and no value below it.
var commentedField = regexp.MustCompile(`^( *)# ([^ #-][^ ]*: .+)$`)

// checkUncommenting fails if a full sample is no YAML after the removal of the comment
// character of a field. It checks the first fields.
func checkUncommenting(t *testing.T, name, sample string) {
	lines := strings.Split(sample, "\n")
	for i, checked := 0, 0; i < len(lines) && checked < 5; i++ {
		field := commentedField.FindStringSubmatch(lines[i])
		if field == nil {
			continue
		}
		checked++
		with := slices.Clone(lines)
		with[i] = field[1] + field[2]
		var object any
		if err := yaml.Unmarshal([]byte(strings.Join(with, "\n")), &object); err != nil {
			t.Errorf("%s: uncommenting line %d: %v\n%s", name, i+1, err, strings.Join(with[:i+1], "\n"))
			return
		}
	}
}

// report lists the refused samples and fails if they exceed a fraction of 1/oneIn.
func (s *sampleTally) report(t *testing.T, oneIn int) {
	t.Logf("%d samples, %d refused:\n%s", s.count, len(s.refused), strings.Join(s.refused, "\n"))
	if s.count == 0 || len(s.refused)*oneIn > s.count {
		t.Errorf("%d of %d samples refused", len(s.refused), s.count)
	}
}

func evaluate(t *testing.T, e *engine.Engine, s playground.Scenario) playground.Report {
	report, err := e.Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
