package object

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/owner"
	"github.com/crdlab/crdlab/internal/playground"
)

// recordOwner records the manager of a create or an update as the owner of the fields that
// the request changes. live is the existing object, or the initial state of a new one. Like
// the handlers of the API server, it keeps the owners of live if they cannot be determined.
func (r *Request) recordOwner(live *unstructured.Unstructured) error {
	manager, err := newFieldManager(&r.endpoint, r.options.operation)
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
// It follows scaleUpdatedObjectInfo.UpdatedObject in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.
func (r *Request) recordScaler(before, after *autoscalingv1.Scale) error {
	manager, err := newScaleManager()
	if err != nil {
		return err
	}
	parent := r.object.GetManagedFields()
	handler := managedfields.NewScaleHandler(parent, r.endpoint.version.Kind.GroupVersion(), replicasPaths(r.endpoint.CRD.Versions))
	if before.ManagedFields, err = handler.ToSubresource(); err != nil {
		return err
	}
	scaled := manager.UpdateNoErrors(before, after, r.options.fieldManager).(*autoscalingv1.Scale)
	entries, err := handler.ToParent(scaled.ManagedFields)
	if err != nil {
		return err
	}
	r.object.SetManagedFields(owner.Timed(entries, parent, r.options.now))
	return nil
}

// newScaleManager returns the field manager of the scale endpoint. The API server knows the type
// Scale; without lists and atomic maps, its fields have the same owners if it is deduced.
func newScaleManager() (*managedfields.FieldManager, error) {
	scheme := runtime.NewScheme()
	if err := autoscalingv1.AddToScheme(scheme); err != nil {
		return nil, fmt.Errorf("register Scale: %w", err)
	}
	kind := autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	return managedfields.NewDefaultCRDFieldManager(managedfields.NewDeducedTypeConverter(), runtime.UnsafeObjectConvertor(scheme), scheme, scheme,
		kind, kind.GroupVersion(), "scale", nil)
}

// newFieldManager returns the field manager of an operation's endpoint.
func newFieldManager(e *endpoint, operation playground.Operation) (*managedfields.FieldManager, error) {
	subresource := ""
	if playground.IsOfStatus(operation) {
		subresource = "status"
	}
	types, err := e.CRD.ApplyTypes()
	if err != nil {
		return nil, fmt.Errorf("prepare field manager: %w", err)
	}
	return managedfields.NewDefaultCRDFieldManager(types, e.Conversion.converter, structuralDefaulter{e.CRD}, unstructuredCreater{},
		e.version.Kind, e.version.Kind.GroupVersion(), subresource, fieldpath.NewExcludeFilterSetMap(resetFields(e, operation)))
}

// resetFields returns the fields that requests to an endpoint cannot set. As in the API server,
// those of the main endpoint are of the requested version only, and those of /status are of
// all versions with that subresource.
func resetFields(e *endpoint, operation playground.Operation) map[fieldpath.APIVersion]*fieldpath.Set {
	fields := map[fieldpath.APIVersion]*fieldpath.Set{}
	switch {
	case playground.IsOfStatus(operation):
		for _, v := range e.CRD.Versions {
			if v.HasStatus {
				fields[fieldpath.APIVersion(v.Kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
			}
		}
	case e.version.HasStatus:
		fields[fieldpath.APIVersion(e.version.Kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	}
	return fields
}

// replicasPaths returns the path of the number of replicas at each version, which is empty
// without the scale subresource.
func replicasPaths(versions map[string]*crd.Version) managedfields.ResourcePathMappings {
	paths := managedfields.ResourcePathMappings{}
	for _, v := range versions {
		var path fieldpath.Path
		if v.Scale != nil {
			for _, name := range jsonvalue.SplitJSONPath(v.Scale.SpecReplicasPath) {
				path = append(path, fieldpath.PathElement{FieldName: &name})
			}
		}
		paths[v.Kind.GroupVersion().String()] = path
	}
	return paths
}
