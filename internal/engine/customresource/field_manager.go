package customresource

import (
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// ScaledOwners returns the owners of an object after a manager has changed its Scale. parent has
// the owners before. ScaledOwners follows scaleUpdatedObjectInfo.UpdatedObject in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource.
func (c *Conversion) ScaledOwners(v *crd.Version, parent []metav1.ManagedFieldsEntry, before, after *autoscalingv1.Scale, by string) ([]metav1.ManagedFieldsEntry, error) {
	manager, err := newScaleManager()
	if err != nil {
		return nil, err
	}
	handler := managedfields.NewScaleHandler(parent, v.Kind.GroupVersion(), replicasPaths(c.crd.Versions))
	if before.ManagedFields, err = handler.ToSubresource(); err != nil {
		return nil, err
	}
	scaled := manager.UpdateNoErrors(before, after, by).(*autoscalingv1.Scale)
	return handler.ToParent(scaled.ManagedFields)
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

// FieldManager returns the field manager of an operation's endpoint at a version.
func (c *Conversion) FieldManager(v *crd.Version, operation playground.Operation) (*managedfields.FieldManager, error) {
	subresource := ""
	if playground.IsOfStatus(operation) {
		subresource = "status"
	}
	types, err := c.crd.ApplyTypes()
	if err != nil {
		return nil, fmt.Errorf("prepare field manager: %w", err)
	}
	return managedfields.NewDefaultCRDFieldManager(types, c.converter, Defaulter{c.crd}, unstructuredscheme.NewUnstructuredCreator(),
		v.Kind, v.Kind.GroupVersion(), subresource, fieldpath.NewExcludeFilterSetMap(resetFields(c.crd, v, operation)))
}

// resetFields returns the fields that requests to an endpoint cannot set. As in the API server,
// they belong to the requested version at the main endpoint, and at /status to
// all versions with that subresource.
func resetFields(c *crd.CRD, v *crd.Version, operation playground.Operation) map[fieldpath.APIVersion]*fieldpath.Set {
	fields := map[fieldpath.APIVersion]*fieldpath.Set{}
	switch {
	case playground.IsOfStatus(operation):
		for _, v := range c.Versions {
			if v.HasStatus {
				fields[fieldpath.APIVersion(v.Kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata"), fieldpath.MakePathOrDie("spec"))
			}
		}
	case v.HasStatus:
		fields[fieldpath.APIVersion(v.Kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
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

// A Defaulter applies the defaults of a CRD's schemas.
type Defaulter struct{ CRD *crd.CRD }

// Default implements runtime.ObjectDefaulter.
func (d Defaulter) Default(in runtime.Object) {
	object, ok := in.(*unstructured.Unstructured)
	if !ok {
		return
	}
	if v, ok := d.CRD.Versions[object.GroupVersionKind().Version]; ok {
		defaulting.Default(object.Object, v.Schema)
	}
}
