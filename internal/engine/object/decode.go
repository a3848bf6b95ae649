package object

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/crdserverscheme"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// decode decodes the document with the serializer of the create handler,
// which keeps integers as int64.
func decode(r *Request) error {
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, unstructuredCreater{}, crdserverscheme.NewUnstructuredObjectTyper(), json.SerializerOptions{
		Yaml:   !r.Doc.JSON(),
		Strict: r.fieldValidation != playground.FieldValidationIgnore,
	})
	object := &unstructured.Unstructured{}
	_, gvk, err := serializer.Decode([]byte(r.Doc.Text), &r.Version.Kind, object)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		for _, err := range strict.Errors() {
			r.strict = append(r.strict, strictError{playground.StageDecode, err})
		}
	} else if err != nil {
		return upstream.DecodeError(err, gvk, r.Version.Kind.Kind, r.Doc.Text)
	}
	r.Object = object
	return r.checkTypeMeta()
}

// checkTypeMeta refuses what unstructuredSchemaCoercer.apply in
// k8s.io/apiextensions-apiserver/pkg/apiserver refuses first.
func (r *Request) checkTypeMeta() error {
	for _, name := range []string{"kind", "apiVersion"} {
		if _, _, err := unstructured.NestedString(r.Object.Object, name); err != nil {
			return r.undecodable(err)
		}
	}
	if _, err := schema.ParseGroupVersion(r.Object.GetAPIVersion()); err != nil {
		return r.undecodable(err)
	}
	return nil
}

// undecodable is the answer to an object that cannot be decoded because of
// err.
func (r *Request) undecodable(err error) error {
	gvk := r.Object.GroupVersionKind()
	return upstream.DecodeError(err, &gvk, r.Version.Kind.Kind, r.Doc.Text)
}

// concludeDecoding refuses unknown and duplicate fields or warns of them, and
// then an apiVersion that is not the endpoint's.
func (r *Request) concludeDecoding() error {
	severity := playground.SeverityWarning
	if r.fieldValidation == playground.FieldValidationStrict {
		severity = playground.SeverityError
	}
	if r.fieldValidation != playground.FieldValidationIgnore {
		for _, e := range r.strict {
			for _, err := range upstream.SplitYAMLErrors([]error{e.err}) {
				r.addStrictFinding(strictError{e.stage, err}, severity)
			}
		}
	}
	if len(r.reportedStrict()) > 0 && r.Object.GetAPIVersion() == "" {
		// The decoder has filled the object by then, and the handler asks it what it is.
		return apierrors.NewBadRequest(runtime.NewMissingVersionErr("object has no apiVersion field").Error())
	}
	if len(r.reportedStrict()) > 0 {
		return r.undecodable(runtime.NewStrictDecodingError(r.strictCauses()))
	}
	if r.fieldValidation == playground.FieldValidationWarn {
		for _, err := range upstream.SplitYAMLErrors(r.strictCauses()) {
			r.warn(err.Error())
		}
	}
	if got, want := r.Object.GroupVersionKind().GroupVersion(), r.Version.Kind.GroupVersion(); got != want {
		return apierrors.NewBadRequest(fmt.Sprintf("the API version in the data (%s) does not match the expected API version (%v)", got, want))
	}
	return nil
}

func (r *Request) strictCauses() []error {
	var causes []error
	for _, e := range r.strict {
		causes = append(causes, e.err)
	}
	return causes
}

// unstructuredCreater creates objects for a serializer that decodes into
// unstructured ones.
type unstructuredCreater struct{}

func (unstructuredCreater) New(kind schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	object.SetGroupVersionKind(kind)
	return object, nil
}
