// Package manifest reads the admission manifest of a scenario: policies, their
// bindings and parameters, webhook configurations, namespaces, and the responses
// of webhooks. It sets the API server's defaults and validates each object.
package manifest

import (
	"cmp"
	"errors"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/gotype"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// A Manifest holds the valid objects of an admission manifest, in the order of
// the source. Invalid objects only have findings.
type Manifest struct {
	File               *source.File
	ValidatingPolicies []Declared[*admissionregistrationv1.ValidatingAdmissionPolicy]
	ValidatingBindings []Declared[*admissionregistrationv1.ValidatingAdmissionPolicyBinding]
	MutatingPolicies   []Declared[*admissionregistrationv1.MutatingAdmissionPolicy]
	MutatingBindings   []Declared[*admissionregistrationv1.MutatingAdmissionPolicyBinding]
	ValidatingWebhooks []Declared[*admissionregistrationv1.ValidatingWebhookConfiguration]
	MutatingWebhooks   []Declared[*admissionregistrationv1.MutatingWebhookConfiguration]
	Namespaces         map[string]*corev1.Namespace
	Params             []runtime.Object
	Responses          []*WebhookResponse
	// Findings reports the problems of the manifest.
	Findings *finding.Collector
	// rejected holds the kind and name of each invalid document.
	rejected map[string]bool
}

// A Declared is an object with its YAML document.
type Declared[T metav1.Object] struct {
	Object T
	Doc    *source.Document
}

// Range returns the range of the value at path. It falls back to the document's kind.
func (d Declared[T]) Range(path ...any) playground.Range { return valueRange(d.Doc, path...) }

// NameRange returns the range of the object's name.
func (d Declared[T]) NameRange() playground.Range { return d.Range("metadata", "name") }

func valueRange(doc *source.Document, path ...any) playground.Range {
	if location, ok := doc.At(path...); ok {
		return location.Value()
	}
	return finding.RequestRange(doc, "")
}

// Parse reads a manifest, a sequence of YAML documents.
func Parse(yaml string) *Manifest {
	m := &Manifest{Namespaces: map[string]*corev1.Namespace{}, rejected: map[string]bool{}, Findings: finding.NewCollector(finding.MaxDescribed)}
	file, err := source.Parse(yaml, finding.ObjectText)
	m.File = file
	if _, isLimit := finding.LimitRange(err); isLimit {
		m.Findings.Add(finding.OfLimit(playground.DocumentAdmission, playground.StageAdmit, err))
		return m
	}
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		if err := upstream.Guard(playground.StageAdmit, func() error { return m.decode(doc) }); err != nil {
			m.reject(doc, err)
		}
	}
	m.checkBindings()
	m.checkResponses()
	return m
}

// SortByName sorts policies, bindings and webhook configurations. The API
// server's order is random.
func (m *Manifest) SortByName() {
	sortByName(m.ValidatingPolicies)
	sortByName(m.ValidatingBindings)
	sortByName(m.MutatingPolicies)
	sortByName(m.MutatingBindings)
	sortByName(m.ValidatingWebhooks)
	sortByName(m.MutatingWebhooks)
}

func sortByName[T metav1.Object](list []Declared[T]) {
	slices.SortStableFunc(list, func(a, b Declared[T]) int { return cmp.Compare(a.Object.GetName(), b.Object.GetName()) })
}

// reject adds the findings of an invalid document.
func (m *Manifest) reject(doc *source.Document, err error) {
	kind, _ := doc.Lookup("kind")
	name, _ := doc.Lookup("metadata", "name")
	m.rejected[kind+" "+name] = true
	m.addFindings(doc, err)
}

// addFindings adds a finding for each cause of an error.
func (m *Manifest) addFindings(doc *source.Document, err error) {
	const document, stage = playground.DocumentAdmission, playground.StageAdmit
	if _, isLimit := finding.LimitRange(err); isLimit {
		m.Findings.Add(finding.OfLimit(document, stage, err))
		return
	}
	var strict *strictErrors
	var invalid fieldErrors
	var wrongType *typeError
	switch {
	case errors.As(err, &strict):
		for _, err := range strict.errs {
			f := finding.OfStrict(playground.SeverityError, document, stage, err)
			m.Findings.AddLazily(f, func(f playground.Finding) playground.Finding { return finding.LocateStrict(doc, f) })
		}
	case errors.As(err, &invalid):
		for _, err := range upstream.SortErrors(field.ErrorList(invalid)) {
			m.Findings.Add(finding.OfField(document, stage, doc, err))
		}
	case errors.As(err, &wrongType):
		m.Findings.Add(wrongType.finding(doc))
	default:
		m.Findings.Add(finding.OfRequest(document, stage, doc, err.Error()))
	}
}

func (m *Manifest) warn(at playground.Range, message string) {
	m.Findings.Add(finding.Warning(playground.DocumentAdmission, playground.StageAdmit, at, message))
}

// fieldErrors are the validation errors of one document.
type fieldErrors field.ErrorList

func (e fieldErrors) Error() string { return field.ErrorList(e).ToAggregate().Error() }

// strictErrors are the unknown and duplicate fields of one document.
type strictErrors struct{ errs []error }

func (e *strictErrors) Error() string { return errors.Join(e.errs...).Error() }

// A typeError reports a document that does not decode into its Go type.
type typeError struct {
	err error
	// mismatch is the value with the wrong type; nil if it is unknown.
	mismatch *gotype.Mismatch
}

func (e *typeError) Error() string { return e.err.Error() }

func (e *typeError) finding(doc *source.Document) playground.Finding {
	f := finding.OfRequest(playground.DocumentAdmission, playground.StageAdmit, doc, e.Error())
	if e.mismatch == nil {
		return f
	}
	f.Hint = e.mismatch.Hint()
	if location, ok := doc.At(e.mismatch.Path...); ok {
		f.Range = finding.Mark(location)
	}
	return f
}
