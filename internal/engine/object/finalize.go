package object

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// deletePropagation is the propagation policy that `kubectl delete` requests.
const deletePropagation = metav1.DeletePropagationBackground

// runFinalize removes the object or marks it as deleted
// (updateForGracefulDeletionAndFinalizers of the store in
// k8s.io/apiserver/pkg/registry/generic/registry).
func runFinalize(r *Request) error {
	before := r.rec.snapshot(r.object)
	finalizers := finalizersToAwait(r.object)
	if len(finalizers) == 0 {
		r.rec.report.Deleted = true
		r.rec.explain("the object has no finalizers, so the API server removes it immediately")
		return nil
	}
	markDeleted(r.object, finalizers, r.options.now)
	r.rec.record(explainChanges(before, r.object.Object, playground.CauseServer, finalizeReason)...)
	r.rec.explain(fmt.Sprintf("the object remains until its finalizers are removed: %v", finalizers))
	return nil
}

// finalizersToAwait returns the finalizers that a delete awaits. It omits the
// finalizers of the garbage collector, which belong to other propagation policies.
func finalizersToAwait(object *unstructured.Unstructured) []string {
	return slices.DeleteFunc(object.GetFinalizers(), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
}

// markDeleted marks an object as deleted, for the controllers that remove its
// finalizers (markAsDeleting in the same package).
func markDeleted(object *unstructured.Unstructured, finalizers []string, now time.Time) {
	object.SetFinalizers(finalizers)
	if object.GetDeletionTimestamp() == nil && object.GetGeneration() > 0 {
		object.SetGeneration(object.GetGeneration() + 1)
	}
	if existing := object.GetDeletionTimestamp(); existing == nil || existing.After(now) {
		at := metav1.NewTime(now)
		object.SetDeletionTimestamp(&at)
	}
	var period int64
	object.SetDeletionGracePeriodSeconds(&period)
}

func finalizeReason(c jsonvalue.Change) string {
	switch jsonvalue.PathString(c.Path) {
	case "metadata.deletionTimestamp":
		return "finalizers remain: the object is marked, not removed"
	case "metadata.deletionGracePeriodSeconds":
		return "custom resources are deleted without a grace period"
	case "metadata.generation":
		return "the deletion increments the generation"
	}
	return "removed, because the request has another propagation policy"
}

// removesLastFinalizer reports whether an update removes the last finalizer of a
// deleted object, which then disappears (ShouldDeleteDuringUpdate in the same
// package). On create, old is nil.
func removesLastFinalizer(object, old *unstructured.Unstructured) bool {
	if old == nil || len(object.GetFinalizers()) > 0 || old.GetDeletionTimestamp() == nil {
		return false
	}
	period := old.GetDeletionGracePeriodSeconds()
	return period == nil || *period == 0
}
