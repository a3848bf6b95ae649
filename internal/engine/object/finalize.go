package object

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/crdlab/crdlab/internal/engine/customresource"
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
	finalizers := customresource.FinalizersToAwait(r.object)
	if len(finalizers) == 0 {
		r.rec.report.Deleted = true
		r.rec.explain("the object has no finalizers, so the API server removes it immediately")
		return nil
	}
	customresource.MarkDeleted(r.object, finalizers, r.options.now)
	r.rec.record(explainChanges(before, r.object.Object, playground.CauseServer, finalizeReason)...)
	r.rec.explain(fmt.Sprintf("the object remains until its finalizers are removed: %v", finalizers))
	return nil
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
