package customresource

import (
	"maps"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/playground"
)

// PrepareUpdate copies the fields that users cannot change from the old object. It
// follows the generic registry and the strategies of custom resources and their status.
func PrepareUpdate(object, old *unstructured.Unstructured, hasStatus bool, operation playground.Operation) {
	object.SetGeneration(old.GetGeneration())
	if playground.IsOfStatus(operation) {
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
	owners := object.GetManagedFields() // the request may have changed the status
	object.Object = old.DeepCopy().Object
	object.SetManagedFields(owners)
	delete(object.Object, "status")
	if ok {
		object.Object["status"] = status
	}
}

func withoutMetadata(content map[string]any) map[string]any {
	rest := maps.Clone(content)
	delete(rest, "metadata")
	return rest
}
