package object

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// runApply merges the configuration into the live object. The field manager merges
// by the schema and applies its defaults, so it replaces pruning and defaulting.
func runApply(r *Request) error {
	live, err := r.liveObject()
	if err != nil {
		return err
	}
	configuration := r.object
	merged, err := r.mergeConfiguration(live, configuration)
	if err != nil {
		r.rec.add(describeConflicts(r.rec.doc, err)...)
		return err
	}
	warnings, err := checkDuplicates(r.rec.doc, r.options.fieldValidation)
	if err != nil {
		return err
	}
	r.rec.warn(warnings...)
	if uid := merged.GetUID(); uid != "" && r.old.object == nil {
		return apierrors.NewConflict(r.endpoint.resource(), merged.GetName(),
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	r.object = merged
	setManagedFieldsTime(merged, live, r.options.now)
	r.rec.record(explainMerge(live, configuration, merged, r.endpoint.version.Schema, r.options.fieldManager)...)
	return nil
}

// liveObject returns the existing object, or the initial state of a new object.
func (r *Request) liveObject() (*unstructured.Unstructured, error) {
	if r.existingObject() != nil {
		if err := r.findOld(); err != nil {
			return nil, err
		}
		return r.old.object, nil
	}
	fresh := &unstructured.Unstructured{Object: map[string]any{}}
	fresh.SetGroupVersionKind(r.endpoint.version.Kind)
	return fresh, nil
}

// mergeConfiguration merges a configuration into the live object, and records the calls
// of the conversion webhook. Its error is [conversion.ErrNoWebhook] if a call has no
// response.
func (r *Request) mergeConfiguration(live, configuration *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	reviews := r.endpoint.Conversion.reviews()
	merged, err := mergeConfiguration(&r.endpoint, live, configuration, r.options)
	calls := slices.Clone(r.endpoint.Conversion.reviews()[len(reviews):])
	slices.SortFunc(calls, func(a, b playground.ConversionReview) int { // upstream converts in the random order of Go's maps
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), bytes.Compare(a.Request, b.Request))
	})
	for i := range calls {
		calls[i].Stage = playground.StageApply
		if calls[i].AnsweredBy == playground.AnsweredByNothing {
			err = conversion.ErrNoWebhook
		}
	}
	r.rec.report.Conversions = append(r.rec.report.Conversions, calls...)
	return merged, err
}

// mergeConfiguration merges a configuration into the live object by the list and
// map types of the schema.
func mergeConfiguration(e *endpoint, live, configuration *unstructured.Unstructured, o options) (*unstructured.Unstructured, error) {
	manager, err := newFieldManager(e)
	if err != nil {
		return nil, err
	}
	merged, err := manager.Apply(live.DeepCopy(), configuration.DeepCopy(), o.fieldManager, o.force)
	if err != nil {
		return nil, upstream.SortCauses(err)
	}
	object, ok := merged.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("applied to a %T", merged)
	}
	return object, nil
}

func newFieldManager(e *endpoint) (*managedfields.FieldManager, error) {
	types, err := e.CRD.ApplyTypes()
	if err != nil {
		return nil, fmt.Errorf("prepare field manager: %w", err)
	}
	return managedfields.NewDefaultCRDFieldManager(types, e.Conversion.converter, structuralDefaulter{e.CRD}, unstructuredCreater{},
		e.version.Kind, e.version.Kind.GroupVersion(), "", fieldpath.NewExcludeFilterSetMap(resetFields(e.version)))
}

// resetFields returns the fields that a request to the main endpoint of a version cannot
// set. As in the API server, they include no fields of other versions.
func resetFields(v *crd.Version) map[fieldpath.APIVersion]*fieldpath.Set {
	fields := map[fieldpath.APIVersion]*fieldpath.Set{}
	if v.HasStatus {
		fields[fieldpath.APIVersion(v.Kind.GroupVersion().String())] = fieldpath.NewSet(fieldpath.MakePathOrDie("status"))
	}
	return fields
}

// checkDuplicates rejects duplicate keys in the configuration, or returns warnings
// about them. The API server's handler checks them after the merge.
func checkDuplicates(doc *source.Document, fieldValidation string) (warnings []string, err error) {
	if fieldValidation == playground.FieldValidationIgnore {
		return nil, nil
	}
	err = utilyaml.UnmarshalStrict([]byte(doc.Text), &map[string]any{})
	if err == nil {
		return nil, nil
	}
	if fieldValidation == playground.FieldValidationStrict {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
	}
	for _, duplicate := range upstream.SplitYAMLErrors([]error{err}) {
		warnings = append(warnings, duplicate.Error())
	}
	return warnings, nil
}

// setManagedFieldsTime replaces the machine's time with the time of the request in the
// entries that the merge has written, and restores the order of the entries. The field
// manager writes no time if nothing but the managers changed.
func setManagedFieldsTime(merged, live *unstructured.Unstructured, now time.Time) {
	old := live.GetManagedFields()
	entries := merged.GetManagedFields()
	for i := range entries {
		isOld := slices.ContainsFunc(old, func(e metav1.ManagedFieldsEntry) bool {
			return isSameManager(e, entries[i]) && unixTime(e) == unixTime(entries[i])
		})
		if !isOld && entries[i].Time != nil {
			at := metav1.NewTime(now)
			entries[i].Time = &at
		}
	}
	slices.SortStableFunc(entries, compareEntries)
	merged.SetManagedFields(entries)
}

// compareEntries orders entries by operation, time in seconds and manager. It follows
// sortEncodedManagedFields of k8s.io/apimachinery/pkg/util/managedfields/internal.
func compareEntries(a, b metav1.ManagedFieldsEntry) int {
	return cmp.Or(
		cmp.Compare(a.Operation, b.Operation),
		cmp.Compare(unixTime(a), unixTime(b)),
		cmp.Compare(a.Manager, b.Manager),
		cmp.Compare(a.APIVersion, b.APIVersion),
		cmp.Compare(a.Subresource, b.Subresource),
	)
}

// isSameManager reports whether two entries belong to the same manager. The version of an
// applied configuration may change, see BuildManagerIdentifier of the same package.
func isSameManager(a, b metav1.ManagedFieldsEntry) bool {
	return a.Manager == b.Manager && a.Operation == b.Operation && a.Subresource == b.Subresource
}

func unixTime(e metav1.ManagedFieldsEntry) int64 {
	if e.Time == nil {
		return 0
	}
	return e.Time.Unix()
}

// explainMerge returns the changes of the merge. A list item may have different indexes
// in merged and in the configuration. Its values then match neither the configuration
// nor a default, and the change only has a general reason.
func explainMerge(live, configuration, merged *unstructured.Unstructured, schema *structuralschema.Structural, manager string) []change {
	changesManagers := false
	var changes []change
	for _, c := range jsonvalue.Diff(live.Object, merged.Object, nil) {
		applied, found := jsonvalue.At(configuration.Object, c.Path)
		switch {
		case isManagedFields(c.Path):
			changesManagers = true
		case c.Op == playground.ChangeRemove:
			changes = append(changes, change{c, playground.CauseApplied, "no longer applied by " + manager + ", and no other manager owns it"})
		case found && (applied == nil || !jsonvalue.IsScalar(applied) || jsonvalue.Equal(applied, c.Value)):
			changes = append(changes, change{c, playground.CauseApplied, "applied by " + manager})
		default:
			changes = appendDefault(changes, schema, live.Object, change{c, playground.CauseApplied, "merged with the existing object"})
		}
	}
	if changesManagers {
		path := []any{"metadata", "managedFields"}
		fields, _ := jsonvalue.At(merged.Object, path)
		changes = append(changes, change{jsonvalue.Change{Op: playground.ChangeReplace, Path: path, Value: fields}, playground.CauseServer, "records which manager owns each field"})
	}
	return changes
}

func isManagedFields(path []any) bool {
	return len(path) > 1 && path[0] == "metadata" && path[1] == "managedFields"
}

// describeConflicts returns a finding for each field that another manager owns. It
// returns nil if err is not a conflict.
func describeConflicts(doc *source.Document, err error) []playground.Finding {
	if !apierrors.IsConflict(err) {
		return nil
	}
	var findings []playground.Finding
	for _, cause := range upstream.APIStatus(err).Details.Causes {
		f := finding.Error(playground.DocumentObject, playground.StageApply, doc.Line(1), cause.Message)
		f.Reason = string(cause.Type)
		f.Field = cause.Field
		if location, ok := finding.Locate(doc, cause.Field); ok {
			f.Range = finding.Mark(location)
		}
		f.Hint = "Another manager set this field. Remove it, set it to the same value, or force the conflict to take ownership."
		findings = append(findings, f)
	}
	return findings
}

// structuralDefaulter applies the defaults of a CRD's schemas.
type structuralDefaulter struct{ crd *crd.CRD }

// Default implements runtime.ObjectDefaulter.
func (d structuralDefaulter) Default(in runtime.Object) {
	object, ok := in.(*unstructured.Unstructured)
	if !ok {
		return
	}
	if v, ok := d.crd.Versions[object.GroupVersionKind().Version]; ok {
		defaulting.Default(object.Object, v.Schema)
	}
}
