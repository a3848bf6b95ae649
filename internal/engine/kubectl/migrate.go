package kubectl

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/playground"
)

// annotationManager owns the annotation after the migration.
const annotationManager = "kubectl-last-applied"

var annotationPath = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", LastApplied))

// ClientSideManagers returns the names of the managers that applied an object without --server-side.
func ClientSideManagers(entries []metav1.ManagedFieldsEntry) sets.Set[string] {
	names := sets.New[string]()
	for _, entry := range csaupgrade.FindFieldsOwners(entries, metav1.ManagedFieldsOperationUpdate, annotationPath) {
		names.Insert(entry.Manager)
	}
	return names
}

// Migrate continues after a server-side apply whose result is object, as kubectl does: it gives the fields
// of client-side applies to the field manager, and applies the configuration again, which removes what
// the configuration lacks. It returns nil if there is nothing to migrate. apply is a request of the API
// server. Migrate follows migrateToSSAIfNecessary of k8s.io/kubectl/pkg/cmd/apply.
func Migrate(object runtime.Object, configuration *unstructured.Unstructured, fieldManager string, apply func(live runtime.Object, configuration *unstructured.Unstructured, manager string) (runtime.Object, error)) (runtime.Object, error) {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	names := ClientSideManagers(accessor.GetManagedFields())
	if len(names) == 0 {
		return nil, nil
	}
	migrated := object.DeepCopyObject()
	isOwned := len(csaupgrade.FindFieldsOwners(accessor.GetManagedFields(), metav1.ManagedFieldsOperationApply, annotationPath)) > 0
	if fieldManager == playground.FieldManagers[playground.OperationApply] && !isOwned {
		annotation := &unstructured.Unstructured{}
		annotation.SetGroupVersionKind(configuration.GroupVersionKind())
		annotation.SetName(accessor.GetName())
		annotation.SetNamespace(accessor.GetNamespace())
		annotation.SetAnnotations(map[string]string{LastApplied: accessor.GetAnnotations()[LastApplied]})
		if migrated, err = apply(migrated, annotation, annotationManager); err != nil {
			return nil, err
		}
	}
	if err := csaupgrade.UpgradeManagedFields(migrated, names, fieldManager); err != nil {
		return nil, err
	}
	return apply(migrated, configuration, fieldManager)
}
