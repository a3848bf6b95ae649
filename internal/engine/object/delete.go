package object

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/kubectl"
	"github.com/crdlab/crdlab/internal/playground"
)

// deletePropagation is what `kubectl delete` asks for.
const deletePropagation = metav1.DeletePropagationBackground

func identifyObject(r *Request) error {
	object, err := DecodeStored(r.Doc)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if object.GetName() == "" {
		return apierrors.NewBadRequest("resource name may not be empty")
	}
	r.Object = object
	r.requestName, r.requestNamespace = object.GetName(), r.namespace()
	return nil
}

// findStored reads the object that the document names.
func findStored(r *Request) error {
	if err := r.findOld(); err != nil {
		return err
	}
	r.Object = r.Old.DeepCopy()
	return nil
}

// admitDelete asks all plugins, the mutating ones first, which have nothing to
// change (AdmissionToValidateObjectDeleteFunc in
// k8s.io/apiserver/pkg/registry/rest).
func admitDelete(r *Request) error {
	attributes, interfaces := r.attributes(r.requestName), r.objectInterfaces()
	if err := r.review.Mutate(r.ctx, attributes, interfaces, r.applyTypes); err != nil {
		return r.refuseAdmission(playground.StageAdmit, err)
	}
	if err := r.review.Validate(r.ctx, attributes, interfaces); err != nil {
		return r.refuseAdmission(playground.StageAdmit, err)
	}
	return nil
}

// finalize removes the object, or, as long as it has finalizers, marks it as
// deleted for the controllers that are to remove them
// (updateForGracefulDeletionAndFinalizers and markAsDeleting of the store in
// k8s.io/apiserver/pkg/registry/generic/registry). The finalizers of the
// garbage collector are taken off: they belong to other ways of deleting.
func finalize(r *Request) error {
	before := r.snapshot()
	finalizers := slices.DeleteFunc(r.Object.GetFinalizers(), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if len(finalizers) == 0 {
		r.deleted = true
		r.stage.Why = "no finalizer holds the object, so it is removed at once"
		return nil
	}
	r.Object.SetFinalizers(finalizers)
	if r.Object.GetDeletionTimestamp() == nil && r.Object.GetGeneration() > 0 {
		r.Object.SetGeneration(r.Object.GetGeneration() + 1)
	}
	if existing := r.Object.GetDeletionTimestamp(); existing == nil || existing.After(r.now) {
		now := metav1.NewTime(r.now)
		r.Object.SetDeletionTimestamp(&now)
	}
	var atOnce int64
	r.Object.SetDeletionGracePeriodSeconds(&atOnce)
	r.recordChanges(before, playground.CauseServer, finalizeReason)
	r.stage.Why = fmt.Sprintf("the object stays until its finalizers are removed: %v", finalizers)
	return nil
}

func finalizeReason(c jsonvalue.Change) string {
	switch jsonvalue.PathString(c.Path) {
	case "metadata.deletionTimestamp":
		return "finalizers remain: the object is marked, not removed"
	case "metadata.deletionGracePeriodSeconds":
		return "custom resources are deleted without a grace period"
	case "metadata.generation":
		return "to be deleted is a change of what is wanted"
	}
	return "belongs to another way of deleting dependents"
}

// storeDeleted writes the object that stays, or accepts that it goes.
func storeDeleted(r *Request) error {
	if !r.deleted {
		return store(r)
	}
	r.accept()
	r.Report.Deleted = true
	return nil
}

// emptiesFinalizers says whether an update takes the last finalizer off an
// object that is being deleted: then the update deletes it
// (ShouldDeleteDuringUpdate in k8s.io/apiserver/pkg/registry/generic/registry).
func (r *Request) emptiesFinalizers() bool {
	if r.Old == nil || len(r.Object.GetFinalizers()) > 0 || r.Old.GetDeletionTimestamp() == nil {
		return false
	}
	period := r.Old.GetDeletionGracePeriodSeconds()
	return period == nil || *period == 0
}

// deletedOutput is what kubectl prints of an object that it had deleted. It
// then waits until the object is gone.
func deletedOutput(object *unstructured.Unstructured, warnings []string) string {
	from := ""
	if namespace := object.GetNamespace(); namespace != "" {
		from = fmt.Sprintf(" from %s namespace", namespace)
	}
	return kubectl.FormatWarnings(warnings) + fmt.Sprintf("%s %q deleted%s", kubectl.ResourceName(object.GetKind(), object.GroupVersionKind().Group), object.GetName(), from)
}
