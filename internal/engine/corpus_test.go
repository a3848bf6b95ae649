//go:build !js

package engine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestCorpus evaluates the CRDs and objects of the corpus in the directory
// CRDLAB_CORPUS. It compares them with the manifest and with the reference server.
func TestCorpus(t *testing.T) {
	manifest := corpus.Open(t)
	e, reference := whole.New(), newReferenceClient(t)
	for _, project := range manifest.Projects {
		for _, crd := range project.CRDs {
			t.Run(strings.TrimSuffix(crd.File, ".yaml"), func(t *testing.T) {
				s := playground.Scenario{CRD: manifest.Read(t, crd.File), FieldValidation: playground.FieldValidationStrict, Now: cases.Now}
				if crd.APIExtensions == "v1" { // the engine converts a v1beta1 CRD
					compareCorpusCRD(t, manifest, crd, e, reference, s)
				}
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
	errors := formatErrors(report.CRD.Findings)
	if report.CRD.Accepted != c.Oracle.Accepted || len(errors) != c.Oracle.ErrorCount {
		t.Errorf("accepted %v with %d errors %q, want %v with %d", report.CRD.Accepted, len(errors), errors, c.Oracle.Accepted, c.Oracle.ErrorCount)
	}
	if first := c.Oracle.FirstError; first != "" && !slices.Contains(errors, first) {
		t.Errorf("errors %q, want %q among them", errors, first)
	}
}

func checkSample(t *testing.T, s corpus.Sample, report playground.Report) {
	if len(report.Objects) != 1 {
		t.Fatalf("%d objects", len(report.Objects))
	}
	object := report.Objects[0]
	if s.VersionServed != nil && !*s.VersionServed || s.Oracle == "version-not-in-crd" {
		if object.Status.Code != 404 {
			t.Errorf("status %+v of an object whose version is not served", object.Status)
		}
		return
	}
	errors, want := comparableErrors(formatErrors(object.Findings)), comparableErrors(s.Errors)
	switch s.Oracle {
	case "valid", "valid-with-unknown-fields":
		if len(errors) > 0 {
			t.Errorf("errors %q of a valid object", errors)
		}
	case "invalid":
		for _, e := range want {
			if !slices.ContainsFunc(errors, func(got string) bool { return isListed(got, e) }) {
				t.Errorf("errors %q, want %q among them", errors, e)
			}
		}
		if len(want) == len(s.Errors) && len(want) < listedErrors && len(errors) != len(want) {
			t.Errorf("errors %q, want %q", errors, want)
		}
	default:
		if object.Accepted {
			t.Errorf("accepted, but the manifest says %s", s.Oracle)
		}
	}
}

// isListed reports whether an error matches an error of the manifest, which truncates
// long messages.
func isListed(e, listed string) bool {
	head, cut := strings.CutSuffix(listed, "…")
	return e == listed || cut && strings.HasPrefix(e, head)
}

// listedErrors is the maximum number of errors that the manifest lists.
const listedErrors = 3

// comparableErrors returns the errors that the manifest covers. It neither checks names
// nor drops the status.
func comparableErrors(errors []string) []string {
	var out []string
	for _, e := range errors {
		if !strings.HasPrefix(e, "metadata") && !strings.HasPrefix(e, "status") &&
			!strings.HasPrefix(e, "<nil>: Invalid value: null: some validation rules were not checked") && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
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
