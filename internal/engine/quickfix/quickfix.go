package quickfix

import (
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// AddToCRD adds hints and fixes to the findings in the document of c, and
// hints to the steps of an upgrade from v1beta1.
func AddToCRD(c *crd.CRD) {
	if c.Doc == nil {
		return
	}
	for i, f := range c.Report.Findings {
		if f.Document == playground.DocumentCRD {
			c.Report.Findings[i] = explain(problem{Finding: f, doc: c.Doc, crd: c}, c.LocateField)
		}
	}
	for i, step := range c.Report.UpgradeSteps {
		f := playground.Finding{Stage: playground.StageCRDValidate, Reason: step.Reason, Field: step.Field, Message: step.Message, Document: playground.DocumentCRD, Range: step.Range}
		c.Report.UpgradeSteps[i].Do = explain(problem{Finding: f, doc: c.Doc, crd: c}, c.LocateField).Hint
	}
}

// Subject holds the input of the fixes for the findings of one object.
type Subject struct {
	Doc *source.Document
	CRD *crd.CRD
	// Schema is the schema of the requested version; nil if there is none.
	Schema *structuralschema.Structural
	// Old is the object before an update; nil on create.
	Old map[string]any
}

// AddToObject adds hints and fixes to the findings in the document of an
// object.
func AddToObject(findings []playground.Finding, s Subject) {
	resolveField := func(field string) (source.Location, bool) { return resolve.Field(s.Doc, field) }
	for i, f := range findings {
		if f.Document == playground.DocumentObject {
			findings[i] = explain(problem{Finding: f, doc: s.Doc, crd: s.CRD, schema: s.Schema, old: s.Old}, resolveField)
		}
	}
}

// AddToAdmission returns the findings in the admission documents with hints
// and fixes.
func AddToAdmission(file *source.File, findings []playground.Finding) []playground.Finding {
	for i, f := range findings {
		if n := file.Document(f.Range.Start); n >= 0 && f.Document == playground.DocumentAdmission {
			findings[i] = newProblem(problem{Finding: f, doc: file.Documents[n]}).remedy()
		}
	}
	return findings
}

// explain returns the finding of m with hints and fixes; locate finds its
// field in the document.
func explain(m problem, locate func(field string) (source.Location, bool)) playground.Finding {
	if m.Field == "" {
		return newProblem(m).remedy()
	}
	location, ok := locate(m.Field)
	if !ok {
		return newProblem(m).remedy()
	}
	return newProblem(m).at(location).remedy()
}
