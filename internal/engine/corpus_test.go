//go:build !js

package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestCorpus evaluates the CRDs and objects of the corpus in the directory
// CRDLAB_CORPUS. It compares them with the manifest and with the reference server.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
	manifest := corpus.Open(t)
	e, reference := engine.New(), newReferenceClient(t)
	for _, project := range manifest.Projects {
		for _, crd := range project.CRDs {
			t.Run(strings.TrimSuffix(crd.File, ".yaml"), func(t *testing.T) {
				s := playground.Scenario{CRD: manifest.Read(t, crd.File), FieldValidation: playground.FieldValidationStrict, Now: cases.Now}
				compareCorpusCRD(t, manifest, crd, e, reference, s)
				s.FieldValidation = playground.FieldValidationIgnore
				checkCorpusCRD(t, manifest, crd, e, s)
				compareCorpusCRD(t, manifest, crd, e, reference, s)
			})
		}
	}
}

// compareCorpusCRD compares the engine with the reference server on a CRD and its
// samples.
func compareCorpusCRD(t *testing.T, manifest *corpus.Corpus, c corpus.CRD, e *engine.Engine, reference *apiclient.Client, s playground.Scenario) {
	report := evaluate(t, e, s)
	compareWithReference(t, reference, s, report)
	rules := newRuleValidators(t, s, report)
	for _, sample := range c.Samples {
		t.Run(s.FieldValidation+"/"+filepath.Base(sample.File), func(t *testing.T) {
			s := s
			s.Object = manifest.Read(t, sample.File)
			report := evaluate(t, e, s)
			compareWithReference(t, reference, s, report)
			rules.compare(t, s, report)
		})
	}
}

// checkCorpusCRD compares the engine with the manifest on a CRD and its samples.
func checkCorpusCRD(t *testing.T, manifest *corpus.Corpus, c corpus.CRD, e *engine.Engine, s playground.Scenario) {
	report := evaluate(t, e, s)
	checkCorpusFindings(t, c, report)
	if !report.CRD.Accepted {
		return
	}
	for _, sample := range c.Samples {
		t.Run(filepath.Base(sample.File), func(t *testing.T) {
			s := s
			s.Object = manifest.Read(t, sample.File)
			checkSample(t, sample, evaluate(t, e, s))
		})
	}
}

func checkCorpusFindings(t *testing.T, c corpus.CRD, report playground.Report) {
	verdict := corpus.Verdict{Accepted: report.CRD.Accepted, Status: report.CRD.Status.Code, Errors: formatErrors(report.CRD.Findings)}
	for _, difference := range c.Compare(verdict) {
		t.Error(difference)
	}
}

func checkSample(t *testing.T, s corpus.Sample, report playground.Report) {
	if len(report.Objects) != 1 {
		t.Fatalf("%d objects", len(report.Objects))
	}
	object := report.Objects[0]
	for _, difference := range s.Compare(corpus.Verdict{Accepted: object.Accepted, Status: object.Status.Code, Errors: formatErrors(object.Findings)}) {
		t.Error(difference)
	}
}

// formatErrors returns the errors among findings in the API server's format.
func formatErrors(findings []playground.Finding) []string {
	var errors []string
	for _, f := range findings {
		if f.Severity == playground.SeverityError {
			errors = append(errors, f.Field+": "+f.Message)
		}
	}
	return errors
}
