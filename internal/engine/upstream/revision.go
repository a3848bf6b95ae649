package upstream

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/storage"
)

// CheckRevision rejects an update that is based on an earlier state, or whose
// resourceVersion is not a revision. current is the stored object's resourceVersion, or
// empty if it is not known. It follows Store.Update of
// k8s.io/apiserver/pkg/registry/generic/registry.
func CheckRevision(object runtime.Object, resource schema.GroupResource, name, current string) error {
	revision, err := storage.APIObjectVersioner{}.ObjectResourceVersion(object)
	if err != nil {
		return err
	}
	if revision == 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: resource.Group, Kind: resource.Resource}, name, field.ErrorList{
			MissingRevision(),
		})
	}
	stored, err := storage.APIObjectVersioner{}.ParseResourceVersion(current)
	if current != "" && (err != nil || revision != stored) {
		return apierrors.NewConflict(resource, name,
			errors.New("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// MissingRevision is the cause of the error about an update without a resourceVersion.
func MissingRevision() *field.Error {
	return field.Invalid(field.NewPath("metadata", "resourceVersion"), uint64(0), "must be specified for an update")
}

// DropUnstoredRevision removes a resourceVersion that no stored object has: zero, or not
// a number. Create ignores it.
func DropUnstoredRevision(object metav1.Object) {
	if revision, err := (storage.APIObjectVersioner{}).ParseResourceVersion(object.GetResourceVersion()); err != nil || revision == 0 {
		object.SetResourceVersion("")
	}
}
