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

// findings returns a finding for each cause of an error that ended the request.
func (c *CRD) findings(stage string, err error) []playground.Finding {
	var findings []playground.Finding
	if strict := upstream.StrictErrors(err); strict != nil {
		for _, err := range strict {
			findings = append(findings, c.strictFinding(err, playground.SeverityError))
		}
		return findings
	}
	status := upstream.APIStatus(err)
	if status.Details == nil || len(status.Details.Causes) == 0 {
		f := finding.OfRequest(playground.DocumentCRD, stage, c.Doc, status.Message)
		f.Reason = string(status.Reason)
		return []playground.Finding{f}
	}
	for _, cause := range status.Details.Causes {
		findings = append(findings, c.causeFinding(stage, cause))
	}
	return findings
}

func (c *CRD) causeFinding(stage string, cause metav1.StatusCause) playground.Finding {
	f := finding.Error(playground.DocumentCRD, stage, c.Doc.Line(1), cause.Message)
	f.Reason = string(cause.Type)
	f.Field = cause.Field
	if location, ok := c.LocateField(cause.Field); ok {
		f.Range = finding.Mark(location)
		if at, ok := finding.CELRange(location, cause.Message); ok {
			f.Range = at
		}
	}
	return f
}

// strictFinding returns a finding about an error of strict decoding.
func (c *CRD) strictFinding(err error, severity playground.Severity) playground.Finding {
	f := finding.OfStrict(c.Doc, err)
	f.Severity = severity
	f.Stage = playground.StageCRDDecode
	f.Document = playground.DocumentCRD
	return f
}

// LocateField returns the location of a field that an error names. It returns the
// versions for status.storedVersions, which the API server sets.
func (c *CRD) LocateField(field string) (source.Location, bool) {
	if strings.HasPrefix(field, "status.storedVersions") {
		return c.Doc.At("spec", "versions")
	}
	return resolve.CRDField(c.Doc, field)
}

// RulePath returns the path of rule i of a schema node in the document. version is an
// index in spec.versions.
func (c *CRD) RulePath(version int, node *celrule.Node, i int) []any {
	return append(c.SchemaPath(version, node.Path), "x-kubernetes-validations", i, "rule")
}

// SchemaPath returns the path of a schema node in the document. version is an index
// in spec.versions.
func (c *CRD) SchemaPath(version int, path crdschema.Path) []any {
	steps := []any{"spec", "versions", version, "schema", "openAPIV3Schema"}
	for _, step := range path {
		steps = append(steps, step)
	}
	return steps
}

// keyRange returns the range of a key, or the first line if the document lacks it.
func (c *CRD) keyRange(path ...any) playground.Range {
	location, ok := c.Doc.At(path...)
	if !ok {
		return c.Doc.Line(1)
	}
	return location.Key()
}

// valueRange returns the range of a value, or the first line if the document lacks
// it.
func (c *CRD) valueRange(path ...any) playground.Range {
	location, ok := c.Doc.At(path...)
	if !ok {
		return c.Doc.Line(1)
	}
	return location.Value()
}
