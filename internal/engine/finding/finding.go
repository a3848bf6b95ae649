// Package finding builds the findings of a report: the constructors, the positions of
// upstream error messages in a YAML document, and the limits of crdlab, etcd and kubectl
// that a document must keep.
package finding

import (
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// New returns a finding about the range at, without a reason, hint or fixes.
// The lists of a finding must not be nil, so every finding starts here.
func New(severity playground.Severity, document playground.Document, stage string, at playground.Range, message string) playground.Finding {
	return playground.Finding{
		Severity: severity,
		Stage:    stage,
		Message:  message,
		Document: document,
		Range:    at,
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
}

// Error returns a finding that refuses the document.
func Error(document playground.Document, stage string, at playground.Range, message string) playground.Finding {
	return New(playground.SeverityError, document, stage, at, message)
}

// Warning returns a finding that refuses nothing.
func Warning(document playground.Document, stage string, at playground.Range, message string) playground.Finding {
	return New(playground.SeverityWarning, document, stage, at, message)
}

// OfRequest returns an error about doc as a whole, at its [RequestRange].
func OfRequest(document playground.Document, stage string, doc *source.Document, message string) playground.Finding {
	return Error(document, stage, RequestRange(doc, message), message)
}

// OfField returns an error about the field of doc that err names, or about the
// document as a whole if doc lacks the field. A CEL compile error points into
// the expression.
func OfField(document playground.Document, stage string, doc *source.Document, err *field.Error) playground.Finding {
	f := Error(document, stage, RequestRange(doc, ""), err.ErrorBody())
	f.Reason = string(metav1.CauseType(err.Type))
	f.Field = err.Field
	if location, ok := Locate(doc, err.Field); ok {
		f.Range = Mark(location)
		if at, ok := CELRange(location, err.Detail); ok {
			f.Range = at
		}
	}
	return f
}

// OfStrict returns a finding about an unknown or duplicate field, without its range.
func OfStrict(severity playground.Severity, document playground.Document, stage string, err error) playground.Finding {
	f := New(severity, document, stage, playground.Range{}, err.Error())
	f.Reason = string(metav1.StatusReasonBadRequest)
	if m := strictField.FindStringSubmatch(err.Error()); m != nil {
		f.Field = m[1]
	}
	return f
}

// LocateStrict returns a finding of [OfStrict] with its range in doc.
func LocateStrict(doc *source.Document, f playground.Finding) playground.Finding {
	f.Range = doc.Line(1)
	if at, ok := LocateMessage(doc, f.Message); ok {
		f.Range = at
	}
	return f
}

// PartlyRead returns a finding about the place where the API server's decoder stops, unless it
// reads the whole document. Errors about what is missing follow from it.
func PartlyRead(document playground.Document, stage string, doc *source.Document) (f playground.Finding, ok bool) {
	syntax, ok := errors.AsType[*source.SyntaxError](doc.Err)
	if !ok || !syntax.Unread {
		return f, false
	}
	return Warning(document, stage, syntax.Range, "the API server's decoder stops before this line and ignores the rest of the document"), true
}

// OfLimit returns an error about a document that exceeds a limit of this
// package and therefore does not reach the API server's code.
func OfLimit(document playground.Document, stage string, err error) playground.Finding {
	at, _ := LimitRange(err)
	f := Error(document, stage, at, err.Error())
	f.Reason = playground.ReasonLimit
	f.Hint = "This is a limit of crdlab, not of Kubernetes."
	return f
}
