package admission

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// admissionText is what an admission text declares. What the API server would
// refuse to create is not in it, but has findings.
type admissionText struct {
	validatingPolicies []declared[*admissionregistrationv1.ValidatingAdmissionPolicy]
	validatingBindings []declared[*admissionregistrationv1.ValidatingAdmissionPolicyBinding]
	mutatingPolicies   []declared[*admissionregistrationv1.MutatingAdmissionPolicy]
	mutatingBindings   []declared[*admissionregistrationv1.MutatingAdmissionPolicyBinding]
	validatingWebhooks []declared[*admissionregistrationv1.ValidatingWebhookConfiguration]
	mutatingWebhooks   []declared[*admissionregistrationv1.MutatingWebhookConfiguration]
	namespaces         map[string]*corev1.Namespace
	params             []runtime.Object
	// refused are the kinds and names of what has errors.
	refused  map[string]bool
	answers  []*webhookAnswer
	findings []playground.Finding
}

// declared is an object and the document that it was decoded from.
type declared[T metav1.Object] struct {
	object T
	doc    *source.Document
}

// nameRange is the place of the object's name.
func (d declared[T]) nameRange() playground.Range { return rangeOrKind(d.doc, "metadata", "name") }

func rangeOrKind(doc *source.Document, path ...any) playground.Range {
	if location, ok := doc.At(path...); ok {
		return location.Value()
	}
	return finding.RequestRange(doc, "")
}

func readAdmissionText(text string) *admissionText {
	t := &admissionText{namespaces: map[string]*corev1.Namespace{}, refused: map[string]bool{}, findings: []playground.Finding{}}
	file, err := source.Parse(text, finding.ObjectText)
	if _, isLimit := finding.LimitRange(err); isLimit {
		t.findings = append(t.findings, finding.OfLimit(playground.DocumentAdmission, playground.StageAdmit, err))
		return t
	}
	for _, doc := range file.Documents {
		if doc.Empty() {
			continue
		}
		if err := upstream.Guard(playground.StageAdmit, func() error { return t.read(doc) }); err != nil {
			t.complain(doc, err)
		}
	}
	t.checkBindings()
	return t
}

// complain reports what keeps a document from being created.
func (t *admissionText) complain(doc *source.Document, err error) {
	kind, _ := doc.Lookup("kind")
	name, _ := doc.Lookup("metadata", "name")
	t.refused[kind+" "+name] = true
	if _, isLimit := finding.LimitRange(err); isLimit {
		t.findings = append(t.findings, finding.OfLimit(playground.DocumentAdmission, playground.StageAdmit, err))
		return
	}
	var strict *strictErrorList
	var invalid admissionErrors
	switch {
	case errors.As(err, &strict):
		for _, err := range strict.errs {
			f := finding.OfStrict(doc, err)
			f.Severity, f.Stage, f.Document = playground.SeverityError, playground.StageAdmit, playground.DocumentAdmission
			t.findings = append(t.findings, f)
		}
	case errors.As(err, &invalid):
		for _, err := range upstream.SortErrors(field.ErrorList(invalid)) {
			t.findings = append(t.findings, admissionFinding(doc, err))
		}
	default:
		t.findings = append(t.findings, playground.Finding{
			Severity: playground.SeverityError,
			Stage:    playground.StageAdmit,
			Message:  err.Error(),
			Document: playground.DocumentAdmission,
			Range:    finding.RequestRange(doc, err.Error()),
			Fixes:    []playground.Fix{},
			Related:  []playground.Related{},
		})
	}
}

// note adds a remark that keeps nothing from working.
func (t *admissionText) note(severity playground.Severity, at playground.Range, message string) {
	t.findings = append(t.findings, playground.Finding{
		Severity: severity,
		Stage:    playground.StageAdmit,
		Message:  message,
		Document: playground.DocumentAdmission,
		Range:    at,
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	})
}

// admissionErrors are the errors of validation of one document.
type admissionErrors field.ErrorList

func (e admissionErrors) Error() string { return field.ErrorList(e).ToAggregate().Error() }

// strictErrorList are the unknown and duplicate fields of one document.
type strictErrorList struct{ errs []error }

func (e *strictErrorList) Error() string { return errors.Join(e.errs...).Error() }

// admissionFinding is a finding at the field that err names; that about an
// expression is at the place its compiler complains of.
func admissionFinding(doc *source.Document, err *field.Error) playground.Finding {
	f := playground.Finding{
		Severity: playground.SeverityError,
		Stage:    playground.StageAdmit,
		Reason:   string(metav1.CauseType(err.Type)),
		Field:    err.Field,
		Message:  err.ErrorBody(),
		Document: playground.DocumentAdmission,
		Range:    finding.RequestRange(doc, ""),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
	if location, ok := doc.Resolve(err.Field); ok {
		f.Range = finding.Mark(location)
		if at, ok := finding.CELRange(location, err.Detail); ok {
			f.Range = at
		}
	}
	return f
}

const registrationGroup = admissionregistrationv1.GroupName + "/"

func (t *admissionText) read(doc *source.Document) error {
	if err := finding.CheckText(doc); err != nil {
		return err
	}
	kind, _ := doc.Lookup("kind")
	apiVersion, _ := doc.Lookup("apiVersion")
	switch {
	case kind == "" || apiVersion == "":
		var content map[string]any
		if err := decodeDeclared(doc, &content); err != nil {
			return err
		}
		return errors.New("apiVersion and kind must say what this document is")
	case strings.HasPrefix(apiVersion, registrationGroup):
		return t.readRegistration(doc, kind, strings.TrimPrefix(apiVersion, registrationGroup))
	case kind == "AdmissionReview" && strings.HasPrefix(apiVersion, admissionv1.GroupName+"/"):
		return t.readAnswer(doc)
	case kind == "Namespace" && apiVersion == "v1":
		return t.readNamespace(doc)
	}
	return t.readParam(doc, apiVersion+" "+kind)
}

// readRegistration reads an object of admissionregistration.k8s.io. All its
// versions have the fields of v1; those of webhooks had other defaults.
func (t *admissionText) readRegistration(doc *source.Document, kind, version string) error {
	switch kind {
	case "ValidatingAdmissionPolicy":
		return readDeclared(doc, &t.validatingPolicies, defaultValidatingPolicy, validateValidatingPolicy)
	case "ValidatingAdmissionPolicyBinding":
		return readDeclared(doc, &t.validatingBindings, defaultValidatingBinding, validateValidatingBinding)
	case "MutatingAdmissionPolicy":
		return readDeclared(doc, &t.mutatingPolicies, defaultMutatingPolicy, validateMutatingPolicy)
	case "MutatingAdmissionPolicyBinding":
		return readDeclared(doc, &t.mutatingBindings, defaultMutatingBinding, validateMutatingBinding)
	}
	defaults := webhookDefaultsV1
	if version == "v1beta1" {
		defaults = webhookDefaultsV1beta1
		t.note(playground.SeverityWarning, rangeOrKind(doc, "apiVersion"),
			"admissionregistration.k8s.io/v1beta1 "+kind+" is unavailable in v1.22+; use admissionregistration.k8s.io/v1. Its v1beta1 defaults are applied here")
	}
	switch kind {
	case "ValidatingWebhookConfiguration":
		return readDeclared(doc, &t.validatingWebhooks, defaults.validating, validateValidatingWebhooks)
	case "MutatingWebhookConfiguration":
		return readDeclared(doc, &t.mutatingWebhooks, defaults.mutating, validateMutatingWebhooks)
	}
	return fmt.Errorf("no matches for kind %q in version %q", kind, registrationGroup+version)
}

// readDeclared decodes a document and appends it to list, if the API server
// would accept it.
func readDeclared[T any, P interface {
	*T
	metav1.Object
}](doc *source.Document, list *[]declared[P], setDefaults func(P), validate func(P) field.ErrorList) error {
	object := P(new(T))
	if err := decodeDeclared(doc, object); err != nil {
		return err
	}
	setDefaults(object)
	if errs := append(validateName(object), validate(object)...); len(errs) > 0 {
		return admissionErrors(errs)
	}
	*list = append(*list, declared[P]{object, doc})
	return nil
}

// decodeDeclared decodes a document strictly, as kubectl asks the API server
// to.
func decodeDeclared(doc *source.Document, into any) error {
	data, err := yaml.YAMLToJSONStrict([]byte(doc.Text))
	if err != nil {
		return err
	}
	strict, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return err
	}
	if len(strict) > 0 {
		return &strictErrorList{strict}
	}
	return nil
}

func (t *admissionText) readNamespace(doc *source.Document) error {
	namespace := &corev1.Namespace{}
	if err := decodeDeclared(doc, namespace); err != nil {
		return err
	}
	if errs := validateName(namespace); len(errs) > 0 {
		return admissionErrors(errs)
	}
	t.namespaces[namespace.Name] = completeNamespace(namespace)
	return nil
}

// readParam reads an object that policies may take parameters from. The API
// server holds those of its own types as such.
func (t *admissionText) readParam(doc *source.Document, kind string) error {
	switch kind {
	case "v1 ConfigMap":
		return readParamInto(t, doc, &corev1.ConfigMap{})
	case "v1 Secret":
		return readParamInto(t, doc, &corev1.Secret{})
	}
	content := map[string]any{}
	if err := decodeDeclared(doc, &content); err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: content}
	if errs := validateName(object); len(errs) > 0 {
		return admissionErrors(errs)
	}
	t.params = append(t.params, object)
	return nil
}

func readParamInto[T interface {
	runtime.Object
	metav1.Object
}](t *admissionText, doc *source.Document, object T) error {
	if err := decodeDeclared(doc, object); err != nil {
		return err
	}
	if errs := validateName(object); len(errs) > 0 {
		return admissionErrors(errs)
	}
	if object.GetNamespace() == "" {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	t.params = append(t.params, object)
	return nil
}

// checkBindings remarks on bindings without a policy and policies without a
// binding: they do nothing.
func (t *admissionText) checkBindings() {
	validating, mutating := newBindingCheck(t, "ValidatingAdmissionPolicy"), newBindingCheck(t, "MutatingAdmissionPolicy")
	for _, p := range t.validatingPolicies {
		validating.policies[p.object.Name] = p.nameRange()
	}
	for _, p := range t.mutatingPolicies {
		mutating.policies[p.object.Name] = p.nameRange()
	}
	for _, b := range t.validatingBindings {
		validating.bind(b.object.Spec.PolicyName, b.doc)
	}
	for _, b := range t.mutatingBindings {
		mutating.bind(b.object.Spec.PolicyName, b.doc)
	}
	validating.conclude()
	mutating.conclude()
}

// bindingCheck finds what of one kind of policy is left unbound.
type bindingCheck struct {
	text     *admissionText
	kind     string
	policies map[string]playground.Range
	bound    map[string]bool
}

func newBindingCheck(t *admissionText, kind string) *bindingCheck {
	return &bindingCheck{t, kind, map[string]playground.Range{}, map[string]bool{}}
}

func (c *bindingCheck) bind(policy string, doc *source.Document) {
	c.bound[policy] = true
	at := rangeOrKind(doc, "spec", "policyName")
	switch _, ok := c.policies[policy]; {
	case ok:
	case c.text.refused[c.kind+" "+policy]:
		c.text.note(playground.SeverityWarning, at, fmt.Sprintf("the %s %q has errors, so this binding does nothing", c.kind, policy))
	default:
		c.text.note(playground.SeverityWarning, at, fmt.Sprintf("there is no %s %q, so this binding does nothing", c.kind, policy))
	}
}

func (c *bindingCheck) conclude() {
	for _, name := range slices.Sorted(maps.Keys(c.policies)) {
		switch {
		case c.bound[name]:
		case c.text.refusedBinding(c.kind):
			c.text.note(playground.SeverityWarning, c.policies[name], fmt.Sprintf("no %sBinding without errors names this policy, so it does nothing", c.kind))
		default:
			c.text.note(playground.SeverityWarning, c.policies[name], fmt.Sprintf("no %sBinding names this policy, so it does nothing", c.kind))
		}
	}
}

// refusedBinding says whether a binding of a kind of policy has errors.
func (t *admissionText) refusedBinding(kind string) bool {
	for key := range t.refused {
		if strings.HasPrefix(key, kind+"Binding ") {
			return true
		}
	}
	return false
}
