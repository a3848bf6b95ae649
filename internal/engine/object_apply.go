package engine

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// decodeApplied decodes the configuration that is applied (applyPatcher in
// k8s.io/apiserver/pkg/endpoints/handlers). What it leaves out is left alone.
func decodeApplied(r *request) error {
	content := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(r.doc.Text), &content); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	r.object = &unstructured.Unstructured{Object: content}
	return nil
}

// applyFields merges the configuration into the object that is there, or into
// a new one, by the list and map types of the schema.
func applyFields(r *request) error {
	live, err := r.applyTarget()
	if err != nil {
		return err
	}
	manager, err := r.newFieldManager()
	if err != nil {
		return err
	}
	configuration := r.object
	merged, err := manager.Apply(live.DeepCopy(), configuration.DeepCopy(), r.fieldManager, r.force)
	if err != nil {
		r.addConflicts(err)
		return err
	}
	object, ok := merged.(*unstructured.Unstructured)
	if !ok {
		return fmt.Errorf("applied to a %T", merged)
	}
	if err := r.checkDuplicates(); err != nil {
		return err
	}
	r.object = object
	r.setManagedFieldsTime()
	r.recordApplied(live, configuration)
	return nil
}

// applyTarget is the object that is there, or what a new one begins as.
func (r *request) applyTarget() (*unstructured.Unstructured, error) {
	if r.olds.find(r.namespace(), r.object.GetName()) != nil {
		if err := r.findOld(); err != nil {
			return nil, err
		}
		return r.old, nil
	}
	if uid := r.object.GetUID(); uid != "" {
		return nil, apierrors.NewConflict(r.resource(), r.object.GetName(),
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	fresh := &unstructured.Unstructured{Object: map[string]any{}}
	fresh.SetGroupVersionKind(r.version.kind)
	return fresh, nil
}

func (r *request) newFieldManager() (FieldManager, error) {
	types, err := r.version.applyTypes(r.parts)
	if err != nil {
		return nil, fmt.Errorf("prepare field manager: %w", err)
	}
	return r.parts.FieldManager(types, r.conversion.converter, structuralDefaulter{r.crd}, unstructuredCreater{},
		r.version.kind, r.version.kind.GroupVersion(), "", fieldpath.NewExcludeFilterSetMap(r.resetFields()))
}

// resetFields are the fields that a request to this endpoint cannot set.
func (r *request) resetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	fields := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, v := range r.crd.versions {
		if v.status {
			fields[fieldpath.APIVersion(v.kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
		}
	}
	return fields
}

// checkDuplicates refuses or warns of keys that stand twice in the
// configuration; it is the last thing that the handler looks at.
func (r *request) checkDuplicates() error {
	if r.fieldValidation == playground.FieldValidationIgnore {
		return nil
	}
	err := utilyaml.UnmarshalStrict([]byte(r.doc.Text), &map[string]any{})
	if err == nil {
		return nil
	}
	if r.fieldValidation == playground.FieldValidationStrict {
		return apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
	}
	for _, complaint := range complaints([]error{err}) {
		r.warn(complaint.Error())
	}
	return nil
}

// setManagedFieldsTime takes the time of the request for that of the machine.
func (r *request) setManagedFieldsTime() {
	entries := r.object.GetManagedFields()
	for i := range entries {
		if entries[i].Manager == r.fieldManager && entries[i].Operation == metav1.ManagedFieldsOperationApply || entries[i].Manager == "before-first-apply" {
			now := metav1.NewTime(r.now)
			entries[i].Time = &now
		}
	}
	r.object.SetManagedFields(entries)
}

// recordApplied notes what the merge changed. What neither the configuration
// nor the old object has comes from the schema's defaults.
func (r *request) recordApplied(live, configuration *unstructured.Unstructured) {
	managed := false
	for _, c := range diff(live.Object, r.object.Object, nil) {
		_, found := at(configuration.Object, c.path)
		switch {
		case isManagedFields(c.path):
			managed = true
		case c.op == playground.ChangeRemove:
			r.record(c, "no longer applied by "+r.fieldManager+", and nobody else manages it")
		case found:
			r.record(c, "applied by "+r.fieldManager)
		default:
			r.recordDefault(c)
		}
	}
	if managed {
		fields, _ := at(r.object.Object, []any{"metadata", "managedFields"})
		r.record(change{playground.ChangeReplace, []any{"metadata", "managedFields"}, fields}, "who manages which field")
	}
}

func isManagedFields(path []any) bool {
	return len(path) > 1 && path[0] == "metadata" && path[1] == "managedFields"
}

// at is the value at a path.
func at(value any, path []any) (any, bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, ok := value.(map[string]any)
			if !ok {
				return nil, false
			}
			if value, ok = object[step]; !ok {
				return nil, false
			}
		case int:
			list, ok := value.([]any)
			if !ok || step >= len(list) {
				return nil, false
			}
			value = list[step]
		}
	}
	return value, true
}

// addConflicts reports the fields that other managers have, each at its place.
func (r *request) addConflicts(err error) {
	if !apierrors.IsConflict(err) {
		return
	}
	for _, cause := range upstream.APIStatus(err).Details.Causes {
		f := r.finding(playground.StageApply, cause.Message)
		f.Reason = string(cause.Type)
		f.Field = cause.Field
		if location, ok := resolve.Field(r.doc, cause.Field); ok {
			f.Range = finding.Mark(location)
		}
		f.Hint = "Another manager set this field. Leave it out, set it to the same value, or force the conflict to take it over."
		r.report.Findings = append(r.report.Findings, f)
	}
}

// structuralDefaulter applies the defaults of a CRD's schemas.
type structuralDefaulter struct{ crd *crd }

func (d structuralDefaulter) Default(in runtime.Object) {
	object, ok := in.(*unstructured.Unstructured)
	if !ok {
		return
	}
	if v, ok := d.crd.versions[object.GroupVersionKind().Version]; ok {
		defaulting.Default(object.Object, v.schema)
	}
}
