package engine

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/finding"
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
func (r *request) refuse(stage string, err error) {
	r.report.Status = upstream.StatusOf(err)
	r.report.Output = refusedOutput(err, r.operation, "object.yaml", r.report.Warnings)
	var denied *admissionDenied
	if errors.As(err, &denied) || len(r.invalid) > 0 || len(r.reportedStrict()) > 0 || apierrors.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict) {
		return // each cause has its finding
	}
	status := upstream.APIStatus(err)
	f := r.finding(stage, status.Message)
	f.Reason = string(status.Reason)
	f.Range = finding.RequestRange(r.doc, status.Message)
	r.report.Findings = append(r.report.Findings, f)
}

func (r *request) reportedStrict() []strictError {
	if r.fieldValidation == playground.FieldValidationStrict {
		return r.strict
	}
	return nil
}

// finding is an error about the document as a whole.
func (r *request) finding(stage, message string) playground.Finding {
	return playground.Finding{
		Severity: playground.SeverityError,
		Stage:    stage,
		Message:  message,
		Document: playground.DocumentObject,
		Range:    r.doc.Line(1),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
}

func (r *request) addStrictFinding(e strictError, severity playground.Severity) {
	f := finding.OfStrict(r.doc, e.err)
	f.Severity = severity
	f.Stage = e.stage
	f.Document = playground.DocumentObject
	r.report.Findings = append(r.report.Findings, f)
}

// addInvalid collects errors of validation, each with its finding.
func (r *request) addInvalid(stage string, errs field.ErrorList) {
	for _, err := range upstream.SortErrors(errs) {
		f := r.finding(stage, err.ErrorBody())
		f.Reason = string(metav1.CauseType(err.Type))
		f.Field = err.Field
		if location, ok := resolve.Field(r.doc, err.Field); ok {
			f.Range = finding.Mark(location)
			f.Related = r.related(r.doc.PathAt(location.Key().Start))
		}
		if !r.reported(f) {
			r.report.Findings = append(r.report.Findings, f)
		}
	}
	r.invalid = append(r.invalid, errs...)
}

// reported says whether the same error was found before; several checks of an
// update look at metadata.
func (r *request) reported(f playground.Finding) bool {
	return slices.ContainsFunc(r.report.Findings, func(earlier playground.Finding) bool {
		return earlier.Field == f.Field && earlier.Message == f.Message && earlier.Reason == f.Reason
	})
}

// addRemedies says of each finding in the object's text what to do about it.
func (r *request) addRemedies() {
	for i, f := range r.report.Findings {
		if f.Document == playground.DocumentObject {
			r.report.Findings[i] = r.remedied(f)
		}
	}
}

func (r *request) remedied(f playground.Finding) playground.Finding {
	m := mistake{Finding: f, doc: r.doc, crd: r.crd}
	if r.version != nil {
		m.schema = r.version.schema
	}
	if r.old != nil {
		m.old = r.old.Object
	}
	if location, ok := resolve.Field(r.doc, f.Field); ok && f.Field != "" {
		return newMistake(m).at(location).remedy()
	}
	return newMistake(m).remedy()
}

// related are the places in the CRD that say what the value at path may be.
func (r *request) related(path []any) []playground.Related {
	node, schemaPath := schemaAt(r.version.schema, path)
	if node == nil || len(path) == 0 {
		return []playground.Related{}
	}
	location, ok := r.crd.doc.At(r.crd.schemaPath(r.version.index, schemaPath)...)
	if !ok {
		return []playground.Related{}
	}
	return []playground.Related{{
		Document: playground.DocumentCRD,
		Range:    location.Key(),
		Message:  "schema at " + schemaPath.String(),
	}}
}
