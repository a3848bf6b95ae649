package engine

import (
	"errors"
	"fmt"
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
)

// store converts the object to the storage version, as the registry does
// before it writes to etcd.
func store(r *request) error {
	if r.object.GetResourceVersion() != "" {
		return apierrors.NewInternalError(fmt.Errorf("resourceVersion should not be set on objects to be created"))
	}
	r.report.Accepted = true
	r.report.Status = playground.Status{Code: http.StatusCreated}
	r.report.Output = createdOutput(r.version.kind.Kind, r.version.kind.Group, r.object.GetName(), r.report.Warnings)
	stored := r.object.DeepCopy()
	if r.version != r.crd.storage {
		converted, err := r.crd.convert(r.object, r.crd.storage)
		if errors.Is(err, errNeedsWebhook) {
			r.skip(fmt.Sprintf("the conversion webhook would be asked to convert the object to the storage version %s", r.crd.storage.kind.Version))
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range diff(r.object.Object, converted.Object, nil) {
			r.record(c, r.conversionReason(c))
		}
		stored = converted
	}
	stored.SetResourceVersion("1")
	r.stored = stored
	r.report.Stored = encode(stored)
	return nil
}

// errNeedsWebhook: only the CRD's conversion webhook could tell what an
// object is like at another version.
var errNeedsWebhook = errors.New("the conversion webhook would be asked to convert the object")

func (r *request) conversionReason(c change) string {
	storage := r.crd.storage.kind.Version
	if valuePath(c.path) == "apiVersion" {
		return "converted to the storage version " + storage
	}
	return "not in the schema of the storage version " + storage
}

// convert turns an object into one of another version and prunes it with that
// version's schema (schemaCoercingConverter in
// k8s.io/apiextensions-apiserver/pkg/apiserver).
func (c *crd) convert(object *unstructured.Unstructured, to *version) (*unstructured.Unstructured, error) {
	if c.v1.Spec.Conversion.Strategy != apiextensionsv1.NoneConverter {
		return nil, errNeedsWebhook
	}
	converted := object.DeepCopy()
	converted.SetGroupVersionKind(to.kind)
	if err := to.coerce(converted, coerceOptions{}); err != nil {
		return nil, err
	}
	return converted, nil
}
