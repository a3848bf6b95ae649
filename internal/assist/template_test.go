//go:build !js

package assist_test

import (
	"slices"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestTemplatesOfExamples evaluates the templates for the CRDs of the gallery.
func TestTemplatesOfExamples(t *testing.T) {
	e, seen := engine.New(), map[string]bool{}
	for _, example := range examples.All() {
		if !seen[example.Scenario.CRD] {
			seen[example.Scenario.CRD] = true
			checkTemplates(t, e, example.ID, example.Scenario.CRD)
		}
	}
}

// TestTemplatesOfCorpus evaluates the templates for the CRDs of real projects.
func TestTemplatesOfCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
	manifest := corpus.Open(t)
	e := engine.New()
	for _, project := range manifest.Projects {
		for _, crd := range project.CRDs {
			checkTemplates(t, e, crd.File, manifest.Read(t, crd.File))
		}
	}
}

// checkTemplates fails if a sample of the CRD that is accepted is refused with a template,
// or if a template has errors.
func checkTemplates(t *testing.T, e *engine.Engine, name, crd string) {
	t.Helper()
	sample := respond(t, e, playground.AssistRequest{Sample: &playground.SampleRequest{CRD: crd}}).Sample
	plain := playground.Scenario{CRD: crd, Object: sample.Object, Now: cases.Now}
	before := evaluate(t, e, plain)
	if !before.CRD.Accepted || len(before.Objects) != 1 || !before.Objects[0].Accepted {
		return
	}
	template := func(document playground.Document) string {
		return respond(t, e, playground.AssistRequest{Template: &playground.TemplateRequest{CRD: crd, Document: document}}).Template.Text
	}
	with := plain
	with.Conversion, with.Admission = template(playground.DocumentConversion), template(playground.DocumentAdmission)
	after := evaluate(t, e, with)
	if len(after.Objects) != 1 || !after.Objects[0].Accepted {
		t.Errorf("%s: the object is refused with the templates: %s", name, after.Objects[0].Output)
	}
	for _, finding := range slices.Concat(after.Conversion.Findings, after.Admission.Findings) {
		if finding.Severity == playground.SeverityError {
			t.Errorf("%s: %v\n%s%s", name, finding, with.Conversion, with.Admission)
		}
	}
	for _, version := range after.Objects[0].Versions {
		if version.Error != "" {
			t.Errorf("%s: read at %s: %s\n%s", name, version.Name, version.Error, with.Conversion)
		}
	}
}
