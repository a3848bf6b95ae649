package object

import (
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/resolve"
)

// decodeApplied decodes the configuration that is applied (applyPatcher in
// k8s.io/apiserver/pkg/endpoints/handlers). What it leaves out is left alone.
func decodeApplied(r *Request) error {
	content := map[string]any{}
	if err := utilyaml.Unmarshal([]byte(r.Doc.Text), &content); err != nil {
		return apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	r.Object = &unstructured.Unstructured{Object: content}
	return nil
}

// applyFields merges the configuration into the object that is there, or into
// a new one, by the list and map types of the schema.
func applyFields(r *Request) error {
	live, err := r.applyTarget()
	if err != nil {
		return err
	}
	manager, err := r.newFieldManager()
	if err != nil {
		return err
	}
	configuration := r.Object
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
	r.Object = object
	r.setManagedFieldsTime()
	r.recordApplied(live, configuration)
	return nil
}

// applyTarget is the object that is there, or what a new one begins as.
func (r *Request) applyTarget() (*unstructured.Unstructured, error) {
	if r.olds.find(r.namespace(), r.Object.GetName()) != nil {
		if err := r.findOld(); err != nil {
			return nil, err
		}
		return r.Old, nil
	}
	if uid := r.Object.GetUID(); uid != "" {
		return nil, apierrors.NewConflict(r.resource(), r.Object.GetName(),
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	fresh := &unstructured.Unstructured{Object: map[string]any{}}
	fresh.SetGroupVersionKind(r.Version.Kind)
	return fresh, nil
}

func (r *Request) newFieldManager() (feature.FieldManager, error) {
	types, err := r.Version.ApplyTypes(r.parts)
	if err != nil {
		return nil, fmt.Errorf("prepare field manager: %w", err)
	}
	return r.parts.FieldManager(types, r.conversion.converter, structuralDefaulter{r.crd}, unstructuredCreater{},
		r.Version.Kind, r.Version.Kind.GroupVersion(), "", fieldpath.NewExcludeFilterSetMap(r.resetFields()))
}

// resetFields are the fields that a request to this endpoint cannot set.
func (r *Request) resetFields() map[fieldpath.APIVersion]*fieldpath.Set {
	fields := map[fieldpath.APIVersion]*fieldpath.Set{}
	for _, v := range r.crd.Versions {
		if v.HasStatus {
			fields[fieldpath.APIVersion(v.Kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
		}
	}
	return fields
}

// checkDuplicates refuses or warns of keys that stand twice in the
// configuration; it is the last thing that the handler looks at.
func (r *Request) checkDuplicates() error {
	if r.fieldValidation == playground.FieldValidationIgnore {
		return nil
	}
	err := utilyaml.UnmarshalStrict([]byte(r.Doc.Text), &map[string]any{})
	if err == nil {
		return nil
	}
	if r.fieldValidation == playground.FieldValidationStrict {
		return apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
	}
	for _, complaint := range upstream.SplitYAMLErrors([]error{err}) {
		r.warn(complaint.Error())
	}
	return nil
}

// setManagedFieldsTime takes the time of the request for that of the machine.
func (r *Request) setManagedFieldsTime() {
	entries := r.Object.GetManagedFields()
	for i := range entries {
		if entries[i].Manager == r.fieldManager && entries[i].Operation == metav1.ManagedFieldsOperationApply || entries[i].Manager == "before-first-apply" {
			now := metav1.NewTime(r.now)
			entries[i].Time = &now
		}
	}
	r.Object.SetManagedFields(entries)
}

// recordApplied records the changes of the merge. The merge may give list items
// other indexes than they have in the configuration: a value of such an item is
// neither found there nor a default.
func (r *Request) recordApplied(live, configuration *unstructured.Unstructured) {
	managed := false
	for _, c := range jsonvalue.Diff(live.Object, r.Object.Object, nil) {
		applied, found := jsonvalue.At(configuration.Object, c.Path)
		switch {
		case isManagedFields(c.Path):
			managed = true
		case c.Op == playground.ChangeRemove:
			r.record(c, playground.CauseApplied, "no longer applied by "+r.fieldManager+", and nobody else manages it")
		case found && (applied == nil || !jsonvalue.IsScalar(applied) || jsonvalue.Equal(applied, c.Value)):
			r.record(c, playground.CauseApplied, "applied by "+r.fieldManager)
		default:
			r.recordDefault(live.Object, c, playground.CauseApplied, "merged with the old object")
		}
	}
	if managed {
		fields, _ := jsonvalue.At(r.Object.Object, []any{"metadata", "managedFields"})
		r.record(jsonvalue.Change{Op: playground.ChangeReplace, Path: []any{"metadata", "managedFields"}, Value: fields}, playground.CauseServer, "who manages which field")
	}
}

func isManagedFields(path []any) bool {
	return len(path) > 1 && path[0] == "metadata" && path[1] == "managedFields"
}

// addConflicts reports the fields that other managers have, each at its place.
func (r *Request) addConflicts(err error) {
	if !apierrors.IsConflict(err) {
		return
	}
	for _, cause := range upstream.APIStatus(err).Details.Causes {
		f := r.finding(playground.StageApply, cause.Message)
		f.Reason = string(cause.Type)
		f.Field = cause.Field
		if location, ok := resolve.Field(r.Doc, cause.Field); ok {
			f.Range = finding.Mark(location)
		}
		f.Hint = "Another manager set this field. Leave it out, set it to the same value, or force the conflict to take it over."
		r.Report.Findings = append(r.Report.Findings, f)
	}
}

// structuralDefaulter applies the defaults of a CRD's schemas.
type structuralDefaulter struct{ crd *crd.CRD }

func (d structuralDefaulter) Default(in runtime.Object) {
	object, ok := in.(*unstructured.Unstructured)
	if !ok {
		return
	}
	if v, ok := d.crd.Versions[object.GroupVersionKind().Version]; ok {
		defaulting.Default(object.Object, v.Schema)
	}
}
