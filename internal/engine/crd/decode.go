package crd

import (
	"fmt"
	"net/http"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/versioning"
	"k8s.io/apimachinery/pkg/util/validation/field"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

var (
	scheme = newScheme()
	// v1Kind is the kind that a request creates or updates.
	v1Kind = apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
)

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return scheme
}

// decodeDocument decodes, defaults and converts doc into a CRD with the codec of the
// API server. strict reports unknown and duplicate fields.
func decodeDocument(doc *source.Document, strict bool, into *apiextensions.CustomResourceDefinition) (runtime.Object, *schema.GroupVersionKind, error) {
	return decodeData([]byte(doc.Text), !doc.JSON(), strict, into)
}

// decodeData is decodeDocument for the data of a document.
func decodeData(data []byte, yaml, strict bool, into *apiextensions.CustomResourceDefinition) (runtime.Object, *schema.GroupVersionKind, error) {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: yaml, Strict: strict})
	codec := versioning.NewCodec(nil, serializer, runtime.UnsafeObjectConvertor(scheme),
		scheme, scheme, scheme, nil, apiextensions.SchemeGroupVersion, "crdlab")
	kind := v1Kind
	return codec.Decode(data, &kind, into)
}

// decode decodes the document. It follows createHandler of
// k8s.io/apiserver/pkg/endpoints/handlers.
func decode(r *Request) error {
	if !r.merges() || r.operation == playground.OperationApply { // kubectl apply may send no patch.
		if err := CheckManager(r.fieldManager, r.sentAs()); err != nil {
			return err
		}
	}
	if r.merges() {
		r.decodePart()
		return nil
	}
	if version, _ := r.Doc.Lookup("apiVersion"); version == apiextensionsv1beta1.SchemeGroupVersion.String() {
		return r.refuseV1beta1()
	}
	if r.operation != playground.CRDOperationClientApply && r.decodeEdited() {
		return nil
	}
	data, yaml := []byte(r.Doc.Text), !r.Doc.JSON()
	if r.operation == playground.CRDOperationClientApply {
		var err error
		if data, err = r.sentObject(); err != nil {
			return err
		}
		yaml = false
	}
	strict := r.fieldValidation != playground.FieldValidationIgnore
	object, kind, err := r.decodeAll(data, yaml, strict)
	if err != nil {
		strict, isStrict := runtime.AsStrictDecodingError(err)
		if !isStrict || object == nil || r.fieldValidation != playground.FieldValidationWarn {
			return upstream.DecodeError(err, kind, v1Kind.Kind, r.Doc.Text)
		}
		for _, err := range upstream.SplitYAMLErrors(strict.Errors()) {
			r.warn(err.Error())
			r.addStrict(r.findings, err, playground.SeverityWarning)
		}
	}
	if kind.GroupVersion() != v1Kind.GroupVersion() {
		return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%v)",
			kind.GroupVersion(), v1Kind.GroupVersion()))
	}
	decoded, ok := object.(*apiextensions.CustomResourceDefinition)
	if !ok {
		return fmt.Errorf("decoded a %T, not a CustomResourceDefinition", object)
	}
	r.Internal = decoded
	if yaml {
		isStrict := err == nil && strict
		r.remember(isStrict, isStrict)
	}
	return nil
}

// decodeAll is decodeData for the whole document. The strict codec converts YAML to JSON twice, the second time in search of
// duplicate keys. If there are none, and there is no other error to report, decodeAll converts it once.
func (r *Request) decodeAll(data []byte, yaml, strict bool) (runtime.Object, *schema.GroupVersionKind, error) {
	if yaml && strict && r.Doc.HasUniqueKeys() {
		if converted, err := sigsyaml.YAMLToJSON(data); err == nil {
			if object, kind, err := decodeData(converted, false, strict, &apiextensions.CustomResourceDefinition{}); err == nil {
				return object, kind, nil
			}
		}
	}
	return decodeData(data, yaml, strict, &apiextensions.CustomResourceDefinition{})
}

// sentAs returns the operation that the API server sees: kubectl apply creates a new CRD.
func (r *Request) sentAs() playground.Operation {
	if r.operation == playground.CRDOperationClientApply && r.Old == nil {
		return playground.OperationCreate
	}
	return r.operation
}

// CheckManager rejects the name of a field manager that the API server does not accept in the
// options of an operation. It follows the handlers of k8s.io/apiserver/pkg/endpoints/handlers.
func CheckManager(manager string, o playground.Operation) error {
	kind := "UpdateOptions"
	switch o {
	case playground.OperationDelete:
		return nil // Its options name no manager.
	case playground.OperationCreate:
		kind = "CreateOptions"
	case playground.OperationApply, playground.OperationApplyStatus, playground.CRDOperationClientApply:
		kind = "PatchOptions"
	}
	if errs := metav1validation.ValidateFieldManager(manager, field.NewPath("fieldManager")); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", errs)
	}
	return nil
}

// decodePart decodes a document that the request merges. The API server decodes only the merged
// CRD, so an error does not end the request here.
func (r *Request) decodePart() {
	part := &apiextensions.CustomResourceDefinition{}
	if _, _, err := decodeDocument(r.Doc, false, part); err == nil {
		r.Internal = part
	}
}

// refuseV1beta1 returns the error for a CRD of the version that the API server does not serve. kubectl
// does not send it. The report has the v1 CRD that it converts to.
func (r *Request) refuseV1beta1() error {
	if r.decodePart(); r.Internal != nil {
		if err := r.upgrade(); err != nil {
			return err
		}
	}
	name, _ := r.Doc.Lookup("metadata", "name")
	kind, _ := r.Doc.Lookup("kind")
	message := fmt.Sprintf("no matches for kind %q in version %q", kind, apiextensionsv1beta1.SchemeGroupVersion)
	r.unsent = kubectl.FormatUnmapped(r.file, name, "", message)
	err := apierrors.NewGenericServerResponse(http.StatusNotFound, "create", schema.GroupResource{}, "", "", 0, false)
	err.ErrStatus.Details = &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{Type: metav1.CauseType(metav1.StatusReasonNotFound), Field: "apiVersion", Message: message}},
	}
	return err
}

// ToV1 converts a CRD to v1.
func ToV1(internal *apiextensions.CustomResourceDefinition) (*apiextensionsv1.CustomResourceDefinition, error) {
	v1 := &apiextensionsv1.CustomResourceDefinition{}
	if err := scheme.Convert(internal.DeepCopy(), v1, nil); err != nil {
		return nil, fmt.Errorf("convert CRD to v1: %w", err)
	}
	return v1, nil
}
