package engine

import (
	"fmt"
	"net/http"

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
	stored := r.object
	if r.version != r.crd.storage {
		converted, err := r.crd.convert(r.object, r.crd.storage)
		if err != nil {
			return err
		}
		for _, c := range diff(r.object.Object, converted.Object, nil) {
			r.record(c, r.conversionReason(c))
		}
		stored = converted
	}
	stored = stored.DeepCopy()
	stored.SetResourceVersion("1")
	r.stored = stored
	r.report.Accepted = true
	r.report.Status = playground.Status{Code: http.StatusCreated}
	r.report.Stored = encode(stored)
	r.report.Output = createdOutput(r.version.kind.Kind, r.version.kind.Group, r.object.GetName(), r.report.Warnings)
	return nil
}

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
	if strategy := c.v1.Spec.Conversion.Strategy; strategy != "None" {
		return nil, apierrors.NewInternalError(fmt.Errorf("conversion webhook for %s would be called, which cannot be reached from here", object.GroupVersionKind()))
	}
	converted := object.DeepCopy()
	converted.SetGroupVersionKind(to.kind)
	if err := to.coerce(converted, coerceOptions{}); err != nil {
		return nil, err
	}
	return converted, nil
}
