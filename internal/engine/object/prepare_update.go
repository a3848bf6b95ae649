package object

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// matchOld rejects an update of another object with the same name, which has another
// UID. Like `kubectl replace`, it bases an update without a resourceVersion on the
// current one, provided that the API server can return the object.
func matchOld(e *endpoint, object, old *unstructured.Unstructured) error {
	if uid := object.GetUID(); uid != "" {
		if err := storage.NewUIDPreconditions(string(uid)).Check(e.keyOf(object), old); err != nil {
			return apierrors.NewConflict(e.resource(), object.GetName(), err)
		}
	}
	if object.GetResourceVersion() == "" && !old.IsList() {
		object.SetResourceVersion(old.GetResourceVersion())
	}
	return nil
}

// checkResourceVersion rejects an update that is based on an earlier state, or
// that has an empty resourceVersion, which a configuration may set.
func (r *Request) checkResourceVersion() error {
	current := r.old.stored.GetResourceVersion()
	err := upstream.CheckRevision(r.object, r.endpoint.resource(), r.object.GetName(), current)
	if apierrors.IsInvalid(err) {
		r.addInvalid(playground.StagePrepare, field.ErrorList{upstream.MissingRevision()})
	}
	if err == nil && current == "" {
		r.old.object.SetResourceVersion(r.object.GetResourceVersion()) // the document of the old object omits it
	}
	return err
}

// updateReason returns a function that returns the reason for a change to an updated
// object.
func updateReason(object, old *unstructured.Unstructured, operation playground.Operation) func(jsonvalue.Change) string {
	return func(c jsonvalue.Change) string {
		path := jsonvalue.PathString(c.Path)
		switch {
		case path == "metadata.generation" && object.GetGeneration() != old.GetGeneration():
			return "a field outside metadata changed, so the API server increments the generation"
		case path == "metadata.generation":
			return "no field outside metadata changed, so the generation stays the same"
		case playground.IsOfStatus(operation):
			return "kept from the existing object, because requests to /status change only the status"
		case len(c.Path) > 0 && c.Path[0] == "status":
			return "kept from the existing object, because only requests to /status change the status"
		case path == "metadata.namespace":
			return "the namespace of the request"
		}
		return "kept from the existing object"
	}
}
