package object

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// strictError is an unknown or duplicate field, and the stage that found it.
type strictError struct {
	stage string
	err   error
}

// refuse ends the request with err.
func (r *Request) refuse(stage string, err error) {
	r.Report.Status = upstream.StatusOf(err)
	r.Report.Output = kubectl.FormatError(err, r.operation, "object.yaml", r.Report.Warnings)
	var denied *admissionDenied
	if errors.As(err, &denied) || len(r.invalid) > 0 || len(r.reportedStrict()) > 0 || apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return // each cause has its finding
	}
	status := upstream.APIStatus(err)
	f := r.finding(stage, status.Message)
	f.Reason = string(status.Reason)
	f.Range = finding.RequestRange(r.Doc, status.Message)
	r.Report.Findings = append(r.Report.Findings, f)
}

func (r *Request) reportedStrict() []strictError {
	if r.fieldValidation == playground.FieldValidationStrict {
		return r.strict
	}
	return nil
}

// finding is an error about the document as a whole.
func (r *Request) finding(stage, message string) playground.Finding {
	return playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Message:  message,
		Document: playground.DocumentObject,
		Range:    r.Doc.Line(1),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
}

func (r *Request) addStrictFinding(e strictError, severity playground.Severity) {
	f := finding.OfStrict(r.Doc, e.err)
	f.Severity = severity
	f.Stage = e.stage
	f.Document = playground.DocumentObject
	r.Report.Findings = append(r.Report.Findings, f)
}

// addInvalid collects errors of validation, each with its finding.
func (r *Request) addInvalid(stage string, errs field.ErrorList) {
	for _, err := range upstream.SortErrors(errs) {
		f := r.finding(stage, err.ErrorBody())
		f.Reason = string(metav1.CauseType(err.Type))
		f.Field = err.Field
		if location, ok := resolve.Field(r.Doc, err.Field); ok {
			f.Range = finding.Mark(location)
			f.Related = r.related(r.Doc.PathAt(location.Key().Start))
		}
		if !r.Reported(f) {
			r.Report.Findings = append(r.Report.Findings, f)
		}
	}
	r.invalid = append(r.invalid, errs...)
}

// Reported says whether the same error was found before; several checks of an
// update look at metadata.
func (r *Request) Reported(f playground.Finding) bool {
	return slices.ContainsFunc(r.Report.Findings, func(earlier playground.Finding) bool {
		return earlier.Field == f.Field && earlier.Message == f.Message && earlier.Reason == f.Reason
	})
}

// related are the places in the CRD that say what the value at path may be.
func (r *Request) related(path []any) []playground.Related {
	node, schemaPath := crdschema.NodeAt(r.Version.Schema, path)
	if node == nil || len(path) == 0 {
		return []playground.Related{}
	}
	location, ok := r.crd.Doc.At(r.crd.SchemaPath(r.Version.Index, schemaPath)...)
	if !ok {
		return []playground.Related{}
	}
	return []playground.Related{{
		Document: playground.DocumentCRD,
		Range:    location.Key(),
		Message:  "schema at " + schemaPath.String(),
	}}
}
