package engine

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
)

// store converts the object to the storage version, as the registry does
// before it writes to etcd.
func store(r *request) error {
	if err := r.checkStorage(); err != nil {
		return err
	}
	r.report.Accepted = true
	r.report.Status = playground.Status{Code: r.successCode()}
	r.report.Output = doneOutput(r.version.kind.Kind, r.version.kind.Group, r.object.GetName(), r.operation, r.report.Warnings)
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
	r.setResourceVersion(stored)
	r.stored = stored
	r.report.Stored = encode(stored)
	return nil
}

// checkStorage refuses what etcd's store refuses.
func (r *request) checkStorage() error {
	if r.operation != playground.OperationCreate {
		return nil
	}
	if r.object.GetResourceVersion() != "" {
		return errors.New("resourceVersion should not be set on objects to be created")
	}
	if r.olds.find(r.namespace(), r.object.GetName()) != nil {
		return apierrors.NewAlreadyExists(r.resource(), r.object.GetName())
	}
	return nil
}

func (r *request) successCode() int {
	if r.operation == playground.OperationCreate {
		return http.StatusCreated
	}
	return http.StatusOK
}

// setResourceVersion counts the writes: an update that changes nothing is
// not written.
func (r *request) setResourceVersion(stored *unstructured.Unstructured) {
	if r.old == nil {
		stored.SetResourceVersion(firstResourceVersion)
		return
	}
	if apiequality.Semantic.DeepEqual(r.object.Object, r.old.Object) {
		r.stage.Why = "nothing changed, so nothing is written"
		return
	}
	revision, err := strconv.Atoi(r.old.GetResourceVersion())
	if err == nil {
		stored.SetResourceVersion(strconv.Itoa(revision + 1))
	}
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
