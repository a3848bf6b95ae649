package object

import (
	"errors"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// matchOld rejects an update of another object with the same name, which has another
// UID. Like `kubectl replace`, it bases an update without a resourceVersion on the
// current one.
func matchOld(e *endpoint, object, old *unstructured.Unstructured) error {
	if uid := object.GetUID(); uid != "" {
		if err := storage.NewUIDPreconditions(string(uid)).Check(e.keyOf(object), old); err != nil {
			return apierrors.NewConflict(e.resource(), object.GetName(), err)
		}
	}
	if object.GetResourceVersion() == "" {
		object.SetResourceVersion(old.GetResourceVersion())
	}
	return nil
}

// checkResourceVersion rejects an update that is based on an earlier state, or
// that has an empty resourceVersion, which a configuration may set (Store.Update in
// k8s.io/apiserver/pkg/registry/generic/registry).
func (r *Request) checkResourceVersion() error {
	resource, name := r.endpoint.resource(), r.object.GetName()
	switch version := r.object.GetResourceVersion(); {
	case version == "":
		r.addInvalid(playground.StagePrepare, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update"),
		})
		return apierrors.NewInvalid(schema.GroupKind{Group: resource.Group, Kind: resource.Resource}, name, r.invalid)
	case r.old.stored.GetResourceVersion() == "":
		r.old.object.SetResourceVersion(version) // the document of the old object omits it
	case version != r.old.object.GetResourceVersion():
		return apierrors.NewConflict(resource, name,
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// prepareUpdate copies the fields that users cannot change from the old object. It
// follows the generic registry and the strategies of custom resources and their status.
func prepareUpdate(object, old *unstructured.Unstructured, hasStatus bool, operation playground.Operation) {
	object.SetGeneration(old.GetGeneration())
	if operation == playground.OperationUpdateStatus {
		keepAllButStatus(object, old)
	} else {
		if hasStatus {
			keepStatus(object, old)
		}
		if !apiequality.Semantic.DeepEqual(withoutMetadata(object.Object), withoutMetadata(old.Object)) {
			object.SetGeneration(old.GetGeneration() + 1)
		}
	}
	if object.GetUID() == "" {
		object.SetUID(old.GetUID())
	}
	object.SetCreationTimestamp(old.GetCreationTimestamp())
	if deletion := old.GetDeletionTimestamp(); !deletion.IsZero() {
		object.SetDeletionTimestamp(deletion)
	}
	if period := old.GetDeletionGracePeriodSeconds(); period != nil && object.GetDeletionGracePeriodSeconds() == nil {
		object.SetDeletionGracePeriodSeconds(period)
	}
}

// keepStatus copies the status from the old object.
func keepStatus(object, old *unstructured.Unstructured) {
	delete(object.Object, "status")
	if status, ok := old.Object["status"]; ok {
		object.Object["status"] = runtime.DeepCopyJSONValue(status)
	}
}

// keepAllButStatus copies all fields except the status from the old object.
func keepAllButStatus(object, old *unstructured.Unstructured) {
	status, ok := object.Object["status"]
	object.Object = old.DeepCopy().Object
	delete(object.Object, "status")
	if ok {
		object.Object["status"] = status
	}
}

func withoutMetadata(content map[string]any) map[string]any {
	rest := make(map[string]any, len(content))
	for key, value := range content {
		if key != "metadata" {
			rest[key] = value
		}
	}
	return rest
}

// updateReason returns a function that returns the reason for a change to an updated
// object.
func updateReason(object, old *unstructured.Unstructured, operation playground.Operation) func(jsonvalue.Change) string {
	return func(c jsonvalue.Change) string {
		path := jsonvalue.PathString(c.Path)
		switch {
		case path == "metadata.generation" && object.GetGeneration() != old.GetGeneration():
			return "something outside of metadata changed, so the generation rises"
		case path == "metadata.generation":
			return "nothing outside of metadata changed, so the generation stays"
		case operation == playground.OperationUpdateStatus:
			return "kept from the old object: this endpoint sets the status only"
		case len(c.Path) > 0 && c.Path[0] == "status":
			return "kept from the old object: only the status endpoint sets the status"
		case path == "metadata.namespace":
			return "the namespace of the request"
		}
		return "kept from the old object"
	}
}
