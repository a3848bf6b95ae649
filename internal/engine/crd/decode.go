package crd

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"

	"github.com/crdlab/crdlab/internal/playground"
)

var scheme = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}

// decode decodes, defaults and converts the document as the create handler
// does (k8s.io/apiserver/pkg/endpoints/handlers, createHandler).
func decode(r *Request) error {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{
		Yaml:   !r.Doc.JSON(),
		Strict: r.fieldValidation != playground.FieldValidationIgnore,
	})
	codec := versioning.NewCodec(nil, serializer, runtime.UnsafeObjectConvertor(scheme),
		scheme, scheme, scheme, nil, apiextensions.SchemeGroupVersion, "crdlab")
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")

	obj, gvk, err := codec.Decode([]byte(r.Doc.Text), &kind, &apiextensions.CustomResourceDefinition{})
	if err != nil {
		strict, isStrict := runtime.AsStrictDecodingError(err)
		if !isStrict || obj == nil || r.fieldValidation != playground.FieldValidationWarn {
			return DecodeError(err, gvk, kind.Kind, r.Doc.Text)
		}
		for _, err := range Complaints(strict.Errors()) {
			r.Report.Warnings = append(r.Report.Warnings, err.Error())
			r.Report.Findings = append(r.Report.Findings, r.strictFinding(err, playground.SeverityWarning))
		}
	}
	switch gvk.GroupVersion() {
	case kind.GroupVersion():
	case apiextensionsv1beta1.SchemeGroupVersion:
		r.Report.Findings = append(r.Report.Findings, r.noLongerServed())
	default:
		return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%v)",
			gvk.GroupVersion(), kind.GroupVersion()))
	}
	decoded, ok := obj.(*apiextensions.CustomResourceDefinition)
	if !ok {
		return fmt.Errorf("decoded a %T, not a CustomResourceDefinition", obj)
	}
	r.Internal = decoded
	if gvk.GroupVersion() == apiextensionsv1beta1.SchemeGroupVersion {
		return r.upgrade()
	}
	return nil
}

// noLongerServed says that a v1beta1 CRD is judged as what it converts to.
func (r *Request) noLongerServed() playground.Finding {
	return playground.Finding{
		Severity: playground.SeverityInfo,
		Stage:    playground.StageCRDDecode,
		Field:    "apiVersion",
		Message:  "apiextensions.k8s.io/v1beta1 is not served since Kubernetes 1.22; the CRD is judged as the v1 CRD that it converts to",
		Document: playground.DocumentCRD,
		Range:    r.valueRange("apiVersion"),
		Fixes:    []playground.Fix{},
		Related:  []playground.Related{},
	}
}

// undecodableError is the answer to a request whose body cannot be decoded.
type undecodableError struct {
	*apierrors.StatusError
	cause error
}

func (e *undecodableError) Unwrap() error { return e.StatusError }

// DecodeError words err as the API server does (transformDecodeError in
// k8s.io/apiserver/pkg/endpoints/handlers, not exported).
func DecodeError(err error, gvk *schema.GroupVersionKind, want, body string) error {
	if gvk != nil && gvk.Kind != "" {
		return &undecodableError{apierrors.NewBadRequest(
			fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", gvk.Kind, gvk.Version, want, err)), err}
	}
	return &undecodableError{apierrors.NewBadRequest(
		fmt.Sprintf("the object provided is unrecognized (must be of type %s): %v (%s)", want, err, summary(body))), err}
}

// summary is the start of a body as error messages show it.
func summary(body string) string {
	const most = 30
	more := ""
	if body == "" {
		return "<empty>"
	}
	if len(body) > most {
		body, more = body[:most], " ..."
	}
	if body[0] == '{' {
		return body + more
	}
	return hex.EncodeToString([]byte(body)) + more
}

// strictErrors are the single complaints of a strict decoder in err.
func strictErrors(err error) []error {
	var undecodable *undecodableError
	if !errors.As(err, &undecodable) {
		return nil
	}
	strict, ok := runtime.AsStrictDecodingError(undecodable.cause)
	if !ok {
		return nil
	}
	return Complaints(strict.Errors())
}

// Complaints are errs with the YAML decoder's one error about all duplicate
// keys taken apart, as the API server does for warnings (parseYAMLWarnings in
// k8s.io/apiserver/pkg/endpoints/handlers).
func Complaints(errs []error) []error {
	var single []error
	for _, err := range errs {
		message := strings.TrimPrefix(err.Error(), "error converting YAML to JSON: ")
		lines, ok := strings.CutPrefix(message, "yaml: unmarshal errors:\n")
		if !ok {
			single = append(single, err)
			continue
		}
		for line := range strings.SplitSeq(lines, "\n") {
			single = append(single, errors.New(strings.TrimSpace(line)))
		}
	}
	return single
}

func ToV1(internal *apiextensions.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(internal.DeepCopy(), v1, nil); err != nil {
		return nil, fmt.Errorf("convert CRD to v1: %w", err)
	}
	return v1, nil
}
