package engine

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// findings are the causes of an error that ended a CRD's request, each at its
// place in the text.
func (c *crd) findings(stage string, err error) []playground.Finding {
	if strict := strictErrors(err); strict != nil {
		findings := make([]playground.Finding, 0, len(strict))
		for _, err := range strict {
			findings = append(findings, c.strictFinding(err, playground.SeverityError))
		}
		return findings
	}
	status := upstream.APIStatus(err)
	if status.Details == nil || len(status.Details.Causes) == 0 {
		return []playground.Finding{c.requestFinding(stage, status)}
	}
	findings := make([]playground.Finding, 0, len(status.Details.Causes))
	for _, cause := range status.Details.Causes {
		findings = append(findings, c.causeFinding(stage, cause))
	}
	return findings
}

// requestFinding is a finding about the request as a whole.
func (c *crd) requestFinding(stage string, status metav1.Status) playground.Finding {
	f := playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Reason:   string(status.Reason),
		Message:  status.Message,
		Document: playground.DocumentCRD,
		Range:    finding.RequestRange(c.doc, status.Message),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
	return f
}

func (c *crd) causeFinding(stage string, cause metav1.StatusCause) playground.Finding {
	f := playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Reason:   string(cause.Type),
		Field:    cause.Field,
		Message:  cause.Message,
		Document: playground.DocumentCRD,
		Range:    c.doc.Line(1),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
	if location, ok := c.resolve(cause.Field); ok {
		f.Range = finding.Mark(location)
		if at, ok := finding.CELRange(location, cause.Message); ok {
			f.Range = at
		}
	}
	return f
}

// addRemedies says of each finding in the CRD's text what to do about it.
func (c *crd) addRemedies() {
	for i, f := range c.report.Findings {
		if f.Document == playground.DocumentCRD && c.doc != nil {
			c.report.Findings[i] = c.remedied(f)
		}
	}
}

func (c *crd) remedied(f playground.Finding) playground.Finding {
	m := mistake{Finding: f, doc: c.doc, crd: c}
	if f.Field == "" {
		return newMistake(m).remedy()
	}
	location, ok := c.resolve(f.Field)
	if !ok {
		return newMistake(m).remedy()
	}
	return newMistake(m).at(location).remedy()
}

// resolve finds the field of an error about a CRD. What users cannot write is
// at what it is derived from: the stored versions at the versions.
func (c *crd) resolve(field string) (source.Location, bool) {
	if strings.HasPrefix(field, "status.storedVersions") {
		return c.doc.At("spec", "versions")
	}
	return resolve.CRDField(c.doc, field)
}

// strictFinding is a complaint of the strict decoder about a CRD.
func (c *crd) strictFinding(err error, severity playground.Severity) playground.Finding {
	f := finding.OfStrict(c.doc, err)
	f.Severity = severity
	f.Stage = playground.StageCRDDecode
	f.Document = playground.DocumentCRD
	return f
}

// rulePath is the way through the CRD's text to rule i of a node.
func (c *crd) rulePath(version int, node *ruleNode, i int) []any {
	return append(c.schemaPath(version, node.path), "x-kubernetes-validations", i, "rule")
}

// schemaPath is the way through the CRD's text to a node of a schema.
func (c *crd) schemaPath(version int, path schemaPath) []any {
	steps := []any{"spec", "versions", version, "schema", "openAPIV3Schema"}
	for _, step := range path {
		steps = append(steps, step)
	}
	return steps
}

func (c *crd) keyRange(path ...any) playground.Range {
	location, ok := c.doc.At(path...)
	if !ok {
		return c.doc.Line(1)
	}
	return location.Key()
}

func (c *crd) valueRange(path ...any) playground.Range {
	location, ok := c.doc.At(path...)
	if !ok {
		return c.doc.Line(1)
	}
	return location.Value()
}
