package object

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/engine/conversion"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/owner"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// runApply merges the configuration into the live object. The field manager merges
// by the schema and applies its defaults, so it replaces pruning and defaulting.
func runApply(r *Request) error {
	if r.options.operation == playground.OperationApplyStatus && r.existingObject() == nil {
		r.endpoint.address(r.object)
		r.object.SetNamespace(r.endpoint.namespace)
		return apierrors.NewNotFound(r.endpoint.resource(), r.object.GetName())
	}
	live, err := r.liveObject()
	if err != nil {
		return err
	}
	configuration := r.object
	merged, err := r.mergeConfiguration(live, configuration)
	if err != nil {
		conflicts := r.describeConflicts(live, err)
		if len(conflicts) > 0 && len(live.GetManagedFields()) == 0 {
			r.owned = r.ownedByApplying(r.old.stored)
		}
		r.rec.add(conflicts...)
		return r.explainFormer(live, configuration, err)
	}
	warnings, err := upstream.CheckDuplicates(r.rec.doc.Text, r.options.fieldValidation)
	if err != nil {
		return err
	}
	r.rec.warn(warnings...)
	if uid := merged.GetUID(); uid != "" && r.old.object == nil {
		return apierrors.NewConflict(r.endpoint.resource(), merged.GetName(),
			fmt.Errorf("uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	r.object = merged
	merged.SetManagedFields(owner.Timed(merged.GetManagedFields(), live.GetManagedFields(), r.options.now))
	r.rec.merge = &owner.Merge{
		Object: merged.DeepCopy().Object, Configuration: configuration.Object,
		Schema: r.endpoint.version.Schema, Managers: merged.GetManagedFields(),
	}
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
	return r.endpoint.newObject(), nil
}

// mergeConfiguration merges a configuration into the live object, and records the calls
// of the conversion webhook.
func (r *Request) mergeConfiguration(live, configuration *unstructured.Unstructured) (merged *unstructured.Unstructured, err error) {
	err = r.recordCalls(playground.StageApply, func() error {
		merged, err = mergeConfiguration(&r.endpoint, live, configuration, r.options)
		return err
	})
	return merged, err
}

// ownedByApplying returns metadata.managedFields of an object that the manager of the request
// created by applying it. It returns nil if the configuration is invalid or of another version,
// whose fields a webhook would convert.
func (r *Request) ownedByApplying(configuration *unstructured.Unstructured) []any {
	created := r.endpoint.newObject()
	if configuration.GroupVersionKind() != created.GroupVersionKind() {
		return nil
	}
	applied, err := mergeConfiguration(&r.endpoint, created, configuration, r.options)
	if err != nil {
		return nil
	}
	applied.SetManagedFields(owner.Timed(applied.GetManagedFields(), nil, r.options.now))
	owned, _, _ := unstructured.NestedSlice(applied.Object, "metadata", "managedFields")
	return owned
}

// recordCalls runs a call of the field manager and records its calls of the conversion
// webhook. Its error is [conversion.ErrNoWebhook] if one of them has no response.
func (r *Request) recordCalls(stage playground.StageName, call func() error) error {
	reviews := r.endpoint.Conversion.Reviews()
	err := call()
	calls := slices.Clone(r.endpoint.Conversion.Reviews()[len(reviews):])
	slices.SortFunc(calls, func(a, b playground.ConversionReview) int { // upstream converts in the random order of Go's maps
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), bytes.Compare(a.Request, b.Request))
	})
	for i := range calls {
		calls[i].Stage = stage
		if calls[i].AnsweredBy == playground.AnsweredByNothing {
			err = conversion.ErrNoWebhook
		}
	}
	r.rec.report.Conversions = append(r.rec.report.Conversions, calls...)
	return err
}

// mergeConfiguration merges a configuration into the live object by the list and
// map types of the schema.
func mergeConfiguration(e *endpoint, live, configuration *unstructured.Unstructured, o options) (*unstructured.Unstructured, error) {
	manager, err := e.Conversion.FieldManager(e.version, o.operation)
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

// explainMerge returns the changes of the merge. A list item may have different indexes
// in merged and in the configuration. Its values then match neither the configuration
// nor a default, and the change only has a general reason.
func explainMerge(live, configuration, merged *unstructured.Unstructured, schema *structuralschema.Structural, manager string) []change {
	changesManagers := false
	var changes []change
	for _, c := range jsonvalue.Diff(live.Object, merged.Object, nil) {
		applied, found := jsonvalue.At(configuration.Object, c.Path)
		if found && applied != nil && !jsonvalue.IsScalar(applied) && c.Op == playground.ChangeAdd {
			// The new value is the configuration with what the field manager adds to it.
			changes = append(changes, change{jsonvalue.Change{Op: c.Op, Path: c.Path, Value: applied}, playground.CauseApplied, "applied by " + manager})
			for _, added := range jsonvalue.Diff(applied, c.Value, c.Path) {
				if isManagedFields(added.Path) {
					changesManagers = true
					continue
				}
				changes = appendDefault(changes, schema, configuration.Object, change{added, playground.CauseApplied, "merged with the existing object"})
			}
			continue
		}
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
		op := playground.ChangeReplace
		if _, had := jsonvalue.At(live.Object, path); !had {
			op = playground.ChangeAdd
		}
		changes = append(changes, change{jsonvalue.Change{Op: op, Path: path, Value: fields}, playground.CauseServer, "records which manager owns each field"})
	}
	return changes
}

func isManagedFields(path []any) bool {
	return len(path) > 1 && path[0] == "metadata" && path[1] == "managedFields"
}

// describeConflicts returns a finding for each field that another manager owns. It
// returns nil if err is not a conflict.
func (r *Request) describeConflicts(live *unstructured.Unstructured, err error) []playground.Finding {
	if !apierrors.IsConflict(err) {
		return nil
	}
	var findings []playground.Finding
	for _, cause := range upstream.APIStatus(err).Details.Causes {
		f := finding.Error(playground.DocumentObject, playground.StageApply, r.rec.doc.Line(1), cause.Message)
		f.Reason = string(cause.Type)
		f.Field = cause.Field
		isAtomic := false
		if location, ok := finding.Locate(r.rec.doc, cause.Field); ok {
			f.Range = finding.Mark(location)
			isAtomic = r.isAtomicList(r.rec.doc.PathAt(f.Range.Start))
		}
		isOwn := strings.HasPrefix(cause.Message, fmt.Sprintf("conflict with %q", r.options.fieldManager))
		f.Hint = owner.ConflictHint(live.GetManagedFields(), isOwn, isAtomic)
		findings = append(findings, f)
	}
	return findings
}

// isAtomicList reports whether a single manager owns all items of the list at a path.
func (r *Request) isAtomicList(path []any) bool {
	node, _ := crdschema.NodeAt(r.endpoint.version.Schema, path)
	return node != nil && node.Type == "array" && (node.XListType == nil || *node.XListType == "atomic")
}
