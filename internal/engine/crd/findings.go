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
)

// addCauses adds a finding for each cause of an error that ended the request.
func (c *CRD) addCauses(findings *finding.Collector, stage string, err error) {
	if strict := upstream.StrictErrors(err); strict != nil {
		for _, err := range strict {
			c.addStrict(findings, err, playground.SeverityError)
		}
		return
	}
	status := upstream.APIStatus(err)
	if status.Details == nil || len(status.Details.Causes) == 0 {
		f := finding.OfRequest(playground.DocumentCRD, stage, c.Doc, status.Message)
		f.Reason = string(status.Reason)
		findings.Add(f)
		return
	}
	for _, cause := range status.Details.Causes {
		f := causeFinding(stage, cause)
		if strings.HasPrefix(f.Field, "spec.conversion.") {
			f.Hint = c.webhookHint
		}
		findings.AddLazily(f, c.locateCause)
	}
}

// causeFinding returns a finding about the cause of an error, without its range.
func causeFinding(stage string, cause metav1.StatusCause) playground.Finding {
	f := finding.Error(playground.DocumentCRD, stage, playground.Range{}, cause.Message)
	f.Reason = string(cause.Type)
	f.Field = cause.Field
	return f
}

// locateCause returns a finding of causeFinding with its range.
func (c *CRD) locateCause(f playground.Finding) playground.Finding {
	f.Range = c.Doc.Line(1)
	if location, ok := c.LocateField(f.Field); ok {
		f.Range = finding.Mark(location)
		if at, ok := finding.CELRange(location, f.Message); ok {
			f.Range = at
		}
	}
	return f
}

// addStrict adds a finding about an error of strict decoding.
func (c *CRD) addStrict(findings *finding.Collector, err error, severity playground.Severity) {
	f := finding.OfStrict(severity, playground.DocumentCRD, playground.StageCRDDecode, err)
	findings.AddLazily(f, func(f playground.Finding) playground.Finding { return finding.LocateStrict(c.Doc, f) })
}

// LocateField returns the location of a field that an error names. It returns the
// versions for status.storedVersions, which the API server sets.
func (c *CRD) LocateField(field string) (source.Location, bool) {
	if strings.HasPrefix(field, "status.storedVersions") {
		return c.Doc.At("spec", "versions")
	}
	return finding.LocateCRD(c.Doc, field)
}

// RulePath returns the path of a keyword of rule i of a schema node in the document.
// version is an index in spec.versions.
func (c *CRD) RulePath(version int, node *celrule.Node, i int, keyword string) []any {
	return append(c.SchemaPath(version, node.Path), "x-kubernetes-validations", i, keyword)
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
