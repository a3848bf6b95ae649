package manifest

import (
	"errors"
	"fmt"
	"reflect"
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
	"github.com/crdlab/crdlab/internal/engine/gotype"
	"github.com/crdlab/crdlab/internal/source"
)

const registrationGroup = admissionregistrationv1.GroupName + "/"

// decode decodes a document, sets its defaults, and adds it to the manifest.
func (m *Manifest) decode(doc *source.Document) error {
	if err := finding.CheckText(doc); err != nil {
		return err
	}
	kind, _ := doc.Lookup("kind")
	apiVersion, _ := doc.Lookup("apiVersion")
	switch {
	case kind == "" || apiVersion == "":
		var content map[string]any
		if err := decodeStrict(doc, &content); err != nil {
			return err
		}
		return errors.New("apiVersion and kind are required")
	case strings.HasPrefix(apiVersion, registrationGroup):
		return m.decodeRegistration(doc, kind, strings.TrimPrefix(apiVersion, registrationGroup))
	case kind == "AdmissionReview" && strings.HasPrefix(apiVersion, admissionv1.GroupName+"/"):
		return m.decodeResponse(doc)
	case kind == "Namespace" && apiVersion == "v1":
		return m.decodeNamespace(doc)
	}
	return m.decodeParam(doc, apiVersion+" "+kind)
}

// decodeRegistration decodes an object of admissionregistration.k8s.io. All
// versions have the fields of v1, but webhooks in v1beta1 have other defaults.
func (m *Manifest) decodeRegistration(doc *source.Document, kind, version string) error {
	switch kind {
	case "ValidatingAdmissionPolicy":
		if err := decodeObject(doc, &m.ValidatingPolicies, defaultValidatingPolicy, validateValidatingPolicy); err != nil {
			return err
		}
		m.warnExpressionMessages(m.ValidatingPolicies[len(m.ValidatingPolicies)-1])
		return nil
	case "ValidatingAdmissionPolicyBinding":
		return decodeObject(doc, &m.ValidatingBindings, defaultValidatingBinding, validateValidatingBinding)
	case "MutatingAdmissionPolicy":
		return decodeObject(doc, &m.MutatingPolicies, defaultMutatingPolicy, validateMutatingPolicy)
	case "MutatingAdmissionPolicyBinding":
		return decodeObject(doc, &m.MutatingBindings, defaultMutatingBinding, validateMutatingBinding)
	}
	defaults := webhookDefaultsV1
	if version == "v1beta1" {
		defaults = webhookDefaultsV1beta1
		m.warn(valueRange(doc, "apiVersion"),
			"admissionregistration.k8s.io/v1beta1 "+kind+" is unavailable in v1.22+; use admissionregistration.k8s.io/v1. crdlab applies the defaults of v1beta1")
	}
	switch kind {
	case "ValidatingWebhookConfiguration":
		return decodeObject(doc, &m.ValidatingWebhooks, defaults.validating, validateValidatingWebhooks)
	case "MutatingWebhookConfiguration":
		return decodeObject(doc, &m.MutatingWebhooks, defaults.mutating, validateMutatingWebhooks)
	}
	return fmt.Errorf("no matches for kind %q in version %q", kind, registrationGroup+version)
}

// decodeObject decodes a document and appends it to list if the object is valid.
func decodeObject[T any, P interface {
	*T
	metav1.Object
}](doc *source.Document, list *[]Declared[P], setDefaults func(P), validate func(P) field.ErrorList) error {
	object := P(new(T))
	if err := decodeStrict(doc, object); err != nil {
		return err
	}
	setDefaults(object)
	if errs := append(validateName(object), validate(object)...); len(errs) > 0 {
		return fieldErrors(errs)
	}
	*list = append(*list, Declared[P]{object, doc})
	return nil
}

// decodeStrict decodes a document and rejects unknown and duplicate fields, like
// the API server with kubectl's default field validation.
func decodeStrict(doc *source.Document, into any) error {
	data, err := yaml.YAMLToJSONStrict([]byte(doc.Text))
	if err != nil {
		return err
	}
	strict, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return &typeError{err, gotype.FindMismatch(doc, reflect.TypeOf(into), err.Error())}
	}
	if len(strict) > 0 {
		return &strictErrors{strict}
	}
	return nil
}

func (m *Manifest) decodeNamespace(doc *source.Document) error {
	namespace := &corev1.Namespace{}
	if err := decodeStrict(doc, namespace); err != nil {
		return err
	}
	if errs := validateName(namespace); len(errs) > 0 {
		return fieldErrors(errs)
	}
	m.Namespaces[namespace.Name] = CompleteNamespace(namespace)
	return nil
}

// decodeParam decodes a parameter of policies. Built-in types are typed, like in
// the API server; other objects are unstructured.
func (m *Manifest) decodeParam(doc *source.Document, kind string) error {
	switch kind {
	case "v1 ConfigMap":
		return decodeParamInto(m, doc, &corev1.ConfigMap{})
	case "v1 Secret":
		return decodeParamInto(m, doc, &corev1.Secret{})
	}
	content := map[string]any{}
	if err := decodeStrict(doc, &content); err != nil {
		return err
	}
	object := &unstructured.Unstructured{Object: content}
	if errs := validateName(object); len(errs) > 0 {
		return fieldErrors(errs)
	}
	m.Params = append(m.Params, object)
	return nil
}

func decodeParamInto[T interface {
	runtime.Object
	metav1.Object
}](m *Manifest, doc *source.Document, object T) error {
	if err := decodeStrict(doc, object); err != nil {
		return err
	}
	if errs := validateName(object); len(errs) > 0 {
		return fieldErrors(errs)
	}
	if object.GetNamespace() == "" {
		object.SetNamespace(metav1.NamespaceDefault)
	}
	m.Params = append(m.Params, object)
	return nil
}
