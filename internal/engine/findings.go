package engine

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
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
	status := apiStatus(err)
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
		Range:    requestRange(c.doc, status.Message),
		Related:  []playground.Related{},
	}
	f.Hint = hint(f)
	return f
}

// typedComplaint is what the merge of a server-side apply says of a field.
var typedComplaint = regexp.MustCompile(`^failed to create typed patch object \([^)]*\): (\.[^:]+): `)

// requestRange is the place in doc that an error about the whole request is
// about: the mistake in the syntax, the line that the decoder names, or what
// the document says it is.
func requestRange(doc *source.Document, message string) playground.Range {
	var syntax *source.SyntaxError
	if errors.As(doc.Err, &syntax) {
		return syntax.Range
	}
	if at, ok := doc.ResolveStrict(message); ok {
		return at
	}
	if m := typedComplaint.FindStringSubmatch(message); m != nil {
		if location, ok := doc.Resolve(m[1]); ok {
			return location.Key()
		}
	}
	if location, ok := doc.At("kind"); ok {
		return location.Value()
	}
	return doc.Line(1)
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
		Related:  []playground.Related{},
	}
	if location, ok := c.resolve(cause.Field); ok {
		f.Range = findingRange(location)
		if at, ok := celErrorRange(location, cause.Message); ok {
			f.Range = at
		}
	}
	f.Hint = hint(f)
	return f
}

// resolve finds the field of an error about a CRD. What users cannot write is
// at what it is derived from: the stored versions at the versions.
func (c *crd) resolve(field string) (source.Location, bool) {
	if strings.HasPrefix(field, "status.storedVersions") {
		return c.doc.At("spec", "versions")
	}
	return c.doc.ResolveCRD(field)
}

// strictFinding is a complaint of the strict decoder about a CRD.
func (c *crd) strictFinding(err error, severity playground.Severity) playground.Finding {
	f := strictFinding(c.doc, err)
	f.Severity = severity
	f.Stage = playground.StageCRDDecode
	f.Document = playground.DocumentCRD
	f.Hint = hint(f)
	return f
}

var quotedField = regexp.MustCompile(`^(?:unknown|duplicate) field "(.*)"$`)

// strictFinding locates an unknown or duplicate field in doc.
func strictFinding(doc *source.Document, err error) playground.Finding {
	f := playground.Finding{
		Reason:  string(metav1.StatusReasonBadRequest),
		Message: err.Error(),
		Range:   doc.Line(1),
		Related: []playground.Related{},
	}
	if m := quotedField.FindStringSubmatch(err.Error()); m != nil {
		f.Field = m[1]
	}
	if at, ok := doc.ResolveStrict(err.Error()); ok {
		f.Range = at
	}
	return f
}

// findingRange is the part of a place to mark: a scalar's value, or else the
// key, since marking a whole block would bury the text.
func findingRange(location source.Location) playground.Range {
	if location.Exact && isScalar(location) {
		return location.Value()
	}
	return location.Key()
}

func isScalar(location source.Location) bool {
	return location.Node() != nil && location.Node().Kind == yaml.ScalarNode
}

var celComplaint = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+):`)

// celErrorRange is the place in a rule's text that its compiler complains of.
func celErrorRange(rule source.Location, message string) (playground.Range, bool) {
	m := celComplaint.FindStringSubmatch(message)
	if m == nil || !rule.Exact || !isScalar(rule) {
		return playground.Range{}, false
	}
	line, _ := strconv.Atoi(m[1])
	column, _ := strconv.Atoi(m[2])
	return rule.RangeAt(line, column), true
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
