package crd

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// findings are the causes of an error that ended a CRD's request, each at its
// place in the text.
func (c *CRD) findings(stage string, err error) []playground.Finding {
	if strict := upstream.StrictErrors(err); strict != nil {
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
func (c *CRD) requestFinding(stage string, status metav1.Status) playground.Finding {
	f := playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Reason:   string(status.Reason),
		Message:  status.Message,
		Document: playground.DocumentCRD,
		Range:    finding.RequestRange(c.Doc, status.Message),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
	return f
}

func (c *CRD) causeFinding(stage string, cause metav1.StatusCause) playground.Finding {
	f := playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Reason:   string(cause.Type),
		Field:    cause.Field,
		Message:  cause.Message,
		Document: playground.DocumentCRD,
		Range:    c.Doc.Line(1),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
	if location, ok := c.LocateField(cause.Field); ok {
		f.Range = finding.Mark(location)
		if at, ok := finding.CELRange(location, cause.Message); ok {
			f.Range = at
		}
	}
	return f
}

// Resolve finds the field of an error about a CRD. What users cannot write is
// at what it is derived from: the stored versions at the versions.
func (c *CRD) LocateField(field string) (source.Location, bool) {
	if strings.HasPrefix(field, "status.storedVersions") {
		return c.Doc.At("spec", "versions")
	}
	return resolve.CRDField(c.Doc, field)
}

// strictFinding is a complaint of the strict decoder about a CRD.
func (c *CRD) strictFinding(err error, severity playground.Severity) playground.Finding {
	f := finding.OfStrict(c.Doc, err)
	f.Severity = severity
	f.Stage = playground.StageCRDDecode
	f.Document = playground.DocumentCRD
	return f
}

// RulePath is the way through the CRD's text to rule i of a node.
func (c *CRD) RulePath(version int, node *celrule.Node, i int) []any {
	return append(c.SchemaPath(version, node.Path), "x-kubernetes-validations", i, "rule")
}

// SchemaPath is the way through the CRD's text to a node of a schema.
func (c *CRD) SchemaPath(version int, path crdschema.Path) []any {
	steps := []any{"spec", "versions", version, "schema", "openAPIV3Schema"}
	for _, step := range path {
		steps = append(steps, step)
	}
	return steps
}

func (c *CRD) keyRange(path ...any) playground.Range {
	location, ok := c.Doc.At(path...)
	if !ok {
		return c.Doc.Line(1)
	}
	return location.Key()
}

func (c *CRD) valueRange(path ...any) playground.Range {
	location, ok := c.Doc.At(path...)
	if !ok {
		return c.Doc.Line(1)
	}
	return location.Value()
}
