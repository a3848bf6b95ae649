package object

import (
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/owner"
	"github.com/crdlab/crdlab/internal/playground"
)

// recordOwner records the manager of a create or an update as the owner of the fields that
// the request changes. live is the existing object, or the initial state of a new one. Like
// the handlers of the API server, it keeps the owners of live if they cannot be determined.
func (r *Request) recordOwner(live *unstructured.Unstructured) error {
	if r.options.omitsOwners {
		return nil
	}
	manager, err := r.endpoint.Conversion.FieldManager(r.endpoint.version, r.options.operation)
	if err != nil {
		return err
	}
	live = live.DeepCopy()
	var owned *unstructured.Unstructured
	_ = r.recordCalls(playground.StagePrepare, func() error {
		owned = manager.UpdateNoErrors(live, r.object, r.options.fieldManager).(*unstructured.Unstructured)
		return nil
	})
	r.object = owned
	r.object.SetManagedFields(owner.Timed(owned.GetManagedFields(), live.GetManagedFields(), r.options.now))
	return nil
}

// recordScaler records the manager of a scale request as the owner of the number of replicas.
func (r *Request) recordScaler(before, after *autoscalingv1.Scale) error {
	parent := r.object.GetManagedFields()
	entries, err := r.endpoint.Conversion.ScaledOwners(r.endpoint.version, parent, before, after, r.options.fieldManager)
	if err != nil {
		return err
	}
	r.object.SetManagedFields(owner.Timed(entries, parent, r.options.now))
	return nil
}
