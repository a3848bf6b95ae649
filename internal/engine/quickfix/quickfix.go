// Package quickfix adds hints and quick fixes to the findings of a report.
//
// The tables in suggestions*.go map error messages to hints and to the functions
// that compute fixes. The other files hold these functions: crd.go for a CRD
// except for its schemas, schema.go for structural schemas, rules.go and cost.go
// for CEL rules, and object.go for objects. syntax.go repairs documents that do not
// parse, and mismatch.go explains values that do not decode.
package quickfix

import (
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/object"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// SuggestForCRD adds hints and fixes to the findings in the CRD document of c,
// and hints to the steps of an upgrade from v1beta1.
func SuggestForCRD(c *crd.CRD) {
	if c.Doc == nil {
		return
	}
	for i, f := range c.Report.Findings {
		if f.Document == playground.DocumentCRD {
			c.Report.Findings[i] = suggest(problem{Finding: f, doc: c.Doc, crd: c}, c.LocateField)
		}
	}
	for i, step := range c.Report.UpgradeSteps {
		f := playground.Finding{Stage: playground.StageCRDValidate, Reason: step.Reason, Field: step.Field, Message: step.Message, Document: playground.DocumentCRD, Range: step.Range}
		c.Report.UpgradeSteps[i].Do = suggest(problem{Finding: f, doc: c.Doc, crd: c}, c.LocateField).Hint
	}
}

// SuggestForObject adds hints and fixes to the findings in the document of an
// object of a scenario, in place.
func SuggestForObject(o object.Evaluated, c *crd.CRD, s playground.Scenario) {
	findings := o.Report.Findings
	for i, f := range findings {
		if f.Document == playground.DocumentObject {
			findings[i] = suggest(problem{Finding: f, doc: o.Doc, crd: c, schema: o.Schema, object: o, fault: celrule.FaultOf(o.Faults, f), scenario: s}, o.Locate)
			if findings[i].Code == playground.CodeConflict {
				o.Owned = nil // one fix resolves all conflicts
			}
		}
	}
}

// SuggestForAdmission adds hints and fixes to the findings in the admission
// file, in place. faults holds the causes of the errors of expressions, and schema is the schema of the
// object; it may be nil.
func SuggestForAdmission(findings []playground.Finding, file *source.File, faults []celrule.Fault, schema *structuralschema.Structural) {
	// The range alone locates a finding in an admission file.
	unresolved := func(string) (source.Location, bool) { return source.Location{}, false }
	for i, f := range findings {
		if n := file.Document(f.Range.Start); n >= 0 && f.Document == playground.DocumentAdmission {
			findings[i] = suggest(problem{Finding: f, doc: file.Documents[n], schema: schema, fault: celrule.FaultOf(faults, f)}, unresolved)
		}
	}
}

// SuggestForConversion adds hints and fixes to the findings in the document that replaces the conversion
// webhook of c, in place.
func SuggestForConversion(findings []playground.Finding, text string, c *crd.CRD) {
	if len(findings) == 0 {
		return
	}
	file, err := source.Parse(text, finding.ObjectText)
	unresolved := func(string) (source.Location, bool) { return source.Location{}, false }
	for i, f := range findings {
		n := -1
		if err == nil {
			n = file.Document(f.Range.Start)
		}
		if n < 0 {
			findings[i] = (&problem{Finding: f}).applyTable()
			continue
		}
		findings[i] = suggest(problem{Finding: f, doc: file.Documents[n], crd: c}, unresolved)
	}
}

// Explain returns findings with the codes and hints of those in documents that have no fixes: an
// existing CRD and existing objects.
func Explain(findings []playground.Finding) []playground.Finding {
	explained := slices.Clone(findings)
	for i, f := range explained {
		switch f.Document {
		case playground.DocumentOldCRD, playground.DocumentOldObject:
			explained[i] = (&problem{Finding: f}).applyTable()
		}
	}
	return explained
}

// suggest returns the finding of p with a hint and fixes. resolveField locates a
// field in the document.
func suggest(p problem, resolveField func(field string) (source.Location, bool)) playground.Finding {
	p.locateRange()
	if place := p.Place(); place != "" {
		if location, ok := resolveField(place); ok {
			p.locateField(location)
		}
	}
	switch {
	case p.isSyntaxError():
		p.Code = codeSyntax
		if p.Severity != playground.SeverityError {
			p.Code = playground.CodePartlyRead
		}
		p.explainSyntax()
	case typeError.matches(p.Message):
		p.Code = codeType
		p.explainMismatch()
	case p.Document == playground.DocumentCRD && unknownField.matches(p.Message):
		p.explainKnownField()
	}
	for _, e := range explainers {
		if p.Document == e.document && e.message.matches(p.Message) {
			_ = upstream.Guard(p.Stage, func() error { e.explain(&p); return nil })
		}
	}
	return p.applyTable()
}

// explainers lists the errors whose hint depends on the document. It precedes the hints of the tables.
var explainers = []struct {
	document playground.Document
	message  *errorPattern
	explain  func(*problem)
}{
	{document: playground.DocumentObject, message: junctorError, explain: (*problem).explainJunctor},
	{document: playground.DocumentObject, message: pattern(`factor MultipleOf declared for .* must be positive`), explain: (*problem).explainFactor},
	{document: playground.DocumentCRD, message: pattern(`no matching overload for`), explain: (*problem).explainOverload},
}
