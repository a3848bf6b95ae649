package crd

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"

	"github.com/crdlab/crdlab/internal/engine/upstream"
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
			return upstream.DecodeError(err, gvk, kind.Kind, r.Doc.Text)
		}
		for _, err := range upstream.SplitYAMLErrors(strict.Errors()) {
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

func ToV1(internal *apiextensions.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(internal.DeepCopy(), v1, nil); err != nil {
		return nil, fmt.Errorf("convert CRD to v1: %w", err)
	}
	return v1, nil
}
