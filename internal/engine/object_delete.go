package engine

import (
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
)

// deleteStages are those of a delete, for which a client reads no more of the
// document than what names the object. Nothing validates what goes.
var deleteStages = []objectStage{
	{playground.StageDecode, identifyObject},
	{playground.StageFind, findStored},
	{playground.StageFinalize, finalize},
	{playground.StageStore, storeDeleted},
	{playground.StageRead, read},
}

// deletePropagation is what `kubectl delete` asks for.
const deletePropagation = metav1.DeletePropagationBackground

func identifyObject(r *request) error {
	object, err := decodeStored(r.doc)
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if object.GetName() == "" {
		return apierrors.NewBadRequest("resource name may not be empty")
	}
	r.object = object
	r.requestName, r.requestNamespace = object.GetName(), r.namespace()
	return nil
}

// findStored reads the object that the document names.
func findStored(r *request) error {
	if err := r.findOld(); err != nil {
		return err
	}
	r.object = r.old.DeepCopy()
	return nil
}

// admitDelete asks all plugins, the mutating ones first, which have nothing to
// change (AdmissionToValidateObjectDeleteFunc in
// k8s.io/apiserver/pkg/registry/rest).
func admitDelete(r *request) error {
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
func finalize(r *request) error {
	before := r.snapshot()
	finalizers := slices.DeleteFunc(r.object.GetFinalizers(), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
	if len(finalizers) == 0 {
		r.deleted = true
		r.stage.Why = "no finalizer holds the object, so it is removed at once"
		return nil
	}
	r.object.SetFinalizers(finalizers)
	if r.object.GetDeletionTimestamp() == nil && r.object.GetGeneration() > 0 {
		r.object.SetGeneration(r.object.GetGeneration() + 1)
	}
	if existing := r.object.GetDeletionTimestamp(); existing == nil || existing.After(r.now) {
		now := metav1.NewTime(r.now)
		r.object.SetDeletionTimestamp(&now)
	}
	var atOnce int64
	r.object.SetDeletionGracePeriodSeconds(&atOnce)
	r.recordChanges(before, finalizeReason)
	r.stage.Why = fmt.Sprintf("the object stays until its finalizers are removed: %v", finalizers)
	return nil
}

func finalizeReason(c change) string {
	switch valuePath(c.path) {
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
func storeDeleted(r *request) error {
	if !r.deleted {
		return store(r)
	}
	r.accept()
	r.report.Deleted = true
	return nil
}

// emptiesFinalizers says whether an update takes the last finalizer off an
// object that is being deleted: then the update deletes it
// (ShouldDeleteDuringUpdate in k8s.io/apiserver/pkg/registry/generic/registry).
func (r *request) emptiesFinalizers() bool {
	if r.old == nil || len(r.object.GetFinalizers()) > 0 || r.old.GetDeletionTimestamp() == nil {
		return false
	}
	period := r.old.GetDeletionGracePeriodSeconds()
	return period == nil || *period == 0
}

// deletedOutput is what kubectl prints of an object that it had deleted. It
// then waits until the object is gone.
func deletedOutput(object *unstructured.Unstructured, warnings []string) string {
	from := ""
	if namespace := object.GetNamespace(); namespace != "" {
		from = fmt.Sprintf(" from %s namespace", namespace)
	}
	return warningOutput(warnings) + fmt.Sprintf("%s %q deleted%s", kubectlResource(object.GetKind(), object.GroupVersionKind().Group), object.GetName(), from)
}
