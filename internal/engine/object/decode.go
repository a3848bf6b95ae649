package object

import (
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// decoding collects the results of the stages from decode to embedded, which
// together replace the API server's decoder.
type decoding struct {
	// meta is the decoded metadata; nil if the object has no metadata.
	meta *metav1.ObjectMeta
	// strict lists the unknown and duplicate fields.
	strict []strictError
}

// A strictError is an error about an unknown or duplicate field.
type strictError struct {
	stage playground.StageName // the stage that found the field
	err   error
}

func (d *decoding) addUnknown(stage playground.StageName, paths []string) {
	for _, path := range paths {
		d.strict = append(d.strict, strictError{stage, errors.New(`unknown field "` + path + `"`)})
	}
}

func (d *decoding) strictErrors() []error {
	var errs []error
	for _, e := range d.strict {
		errs = append(errs, e.err)
	}
	return errs
}

func runDecode(r *Request) error {
	if err := crd.CheckManager(r.options.fieldManager, r.options.operation); err != nil {
		r.addInvalid(playground.StageDecode, metav1validation.ValidateFieldManager(r.options.fieldManager, field.NewPath("fieldManager")))
		return err
	}
	switch r.options.operation {
	case playground.OperationApply, playground.OperationApplyStatus:
		return decodeConfiguration(r)
	case playground.OperationDelete, playground.OperationScale:
		return decodeIdentity(r)
	}
	object, gvk, strict, err := decode(r.rec.doc, r.endpoint.version.Kind, r.options.tracksUnknown())
	for _, err := range strict {
		r.decoding.strict = append(r.decoding.strict, strictError{playground.StageDecode, err})
	}
	if err != nil {
		return upstream.DecodeError(err, gvk, r.endpoint.version.Kind.Kind, r.rec.doc.Text)
	}
	r.object = object
	return r.decodeError(checkTypeMeta(object))
}

// decode decodes the document with the serializer of the create handler, which keeps
// integers as int64. If tracks is true, it returns the errors about duplicate fields as
// strict, not as err.
func decode(doc *source.Document, kind schema.GroupVersionKind, tracks bool) (object *unstructured.Unstructured, gvk *schema.GroupVersionKind, strict []error, err error) {
	object = &unstructured.Unstructured{}
	_, gvk, err = newSerializer(doc, tracks).Decode([]byte(doc.Text), &kind, object)
	if errs, ok := runtime.AsStrictDecodingError(err); ok {
		return object, gvk, errs.Errors(), nil
	}
	return object, gvk, nil, err
}

func newSerializer(doc *source.Document, strict bool) *json.Serializer {
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, unstructuredscheme.NewUnstructuredCreator(), crdserverscheme.NewUnstructuredObjectTyper(),
		json.SerializerOptions{Yaml: !doc.JSON(), Strict: strict})
}

// checkTypeMeta follows the first checks of unstructuredSchemaCoercer.apply in
// k8s.io/apiextensions-apiserver/pkg/apiserver.
func checkTypeMeta(object *unstructured.Unstructured) error {
	for _, name := range []string{"kind", "apiVersion"} {
		if _, _, err := unstructured.NestedString(object.Object, name); err != nil {
			return err
		}
	}
	_, err := schema.ParseGroupVersion(object.GetAPIVersion())
	return err
}

// decodeError wraps err as the API server's decoder does. It returns nil if err is nil.
func (r *Request) decodeError(err error) error {
	if err == nil {
		return nil
	}
	gvk := r.object.GroupVersionKind()
	return upstream.DecodeError(err, &gvk, r.endpoint.version.Kind.Kind, r.rec.doc.Text)
}

// decodeConfiguration decodes the configuration of a server-side apply
// (applyPatcher in k8s.io/apiserver/pkg/endpoints/handlers).
func decodeConfiguration(r *Request) error {
	content := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(r.rec.doc.Text), &content); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	r.object = &unstructured.Unstructured{Object: content}
	return nil
}

// decodeIdentity decodes a document from which the client reads only the identity of
// the object.
func decodeIdentity(r *Request) error {
	object, err := DecodeStored(r.rec.doc)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if object.GetName() == "" {
		return apierrors.NewBadRequest("resource name may not be empty")
	}
	r.object = object
	r.endpoint.address(object)
	return nil
}

// DecodeStored decodes the document of an object in the cluster. It ignores unknown and
// duplicate fields.
func DecodeStored(doc *source.Document) (*unstructured.Unstructured, error) {
	object := &unstructured.Unstructured{}
	err := upstream.Guard(playground.StageDecode, func() error {
		_, _, err := newSerializer(doc, false).Decode([]byte(doc.Text), nil, object)
		return err
	})
	return asStored(object), err
}

// concludeDecoding rejects unknown and duplicate fields, or warns about them. It also
// rejects an apiVersion that differs from the endpoint's.
func (r *Request) concludeDecoding() error {
	severity := playground.SeverityWarning
	if r.options.isStrict() {
		severity = playground.SeverityError
	}
	r.addStrict(severity)
	strict := r.decoding.strictErrors()
	switch {
	case len(strict) == 0:
	case r.options.isStrict() && r.object.GetAPIVersion() == "":
		// The handler reads the kind of the object before it looks at strict errors.
		return apierrors.NewBadRequest(runtime.NewMissingVersionErr("object has no apiVersion field").Error())
	case r.options.isStrict():
		return r.decodeError(runtime.NewStrictDecodingError(strict))
	case r.options.fieldValidation == playground.FieldValidationWarn:
		for _, err := range upstream.SplitYAMLErrors(strict) {
			r.rec.warn(err.Error())
		}
	}
	if got, want := r.object.GroupVersionKind().GroupVersion(), r.endpoint.version.Kind.GroupVersion(); got != want {
		return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%v)", got, want))
	}
	return nil
}

// addStrict adds a finding for each unknown or duplicate field.
func (r *Request) addStrict(severity playground.Severity) {
	for _, e := range r.decoding.strict {
		for _, err := range upstream.SplitYAMLErrors([]error{e.err}) {
			f := finding.OfStrict(severity, playground.DocumentObject, e.stage, err)
			r.rec.addLazily(f, func(f playground.Finding) playground.Finding { return finding.LocateStrict(r.rec.doc, f) })
		}
	}
}
