package celrule

import (
	"github.com/google/cel-go/common/types"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// A Target is a value of an object that the rules of a schema node apply to.
type Target struct {
	Value any
	// Old is the value before the update. It is nil if the object is created, or if
	// upstream cannot correlate the two values.
	Old       any
	Path      []any
	fieldPath *field.Path

	// Correlation pairs Value with Old for ratcheting. It is nil if upstream cannot
	// correlate them; ancestor then holds the nearest correlated ancestor.
	Correlation, ancestor *common.CorrelatedObject
}

// Item returns the target for an item of the list t.
func (t Target) Item(i int, value, old any) Target {
	next := Target{Value: value, Old: old, Path: jsonvalue.AppendStep(t.Path, i), fieldPath: t.fieldPath.Index(i), ancestor: t.ancestor}
	if t.Correlation != nil {
		next.Correlation, next.ancestor = t.Correlation.Index(i), t.Correlation
	}
	return next
}

// Member returns the target for a member of the mapping t.
func (t Target) Member(key string, fieldPath *field.Path, value, old any) Target {
	next := Target{Value: value, Old: old, Path: jsonvalue.AppendStep(t.Path, key), fieldPath: fieldPath, ancestor: t.ancestor}
	switch {
	case t.Correlation == nil:
	case t.ancestor == nil && (key == "apiVersion" || key == "kind"):
		// The API server converts both objects to one version first. It never
		// ratchets these two fields.
		next.ancestor = nil
	default:
		next.Correlation, next.ancestor = t.Correlation.Key(key), t.Correlation
	}
	return next
}

// OldItems returns the items of the old list, which upstream correlates with the
// new items by list type.
func (t Target) OldItems(schema *structuralschema.Structural) common.MapList {
	old, _ := t.Old.([]any)
	return common.MakeMapList(&model.Structural{Structural: schema}, old)
}

// OldMembers returns the members of the old mapping, or nil if the map type
// prevents correlation.
func (t Target) OldMembers(schema *structuralschema.Structural) map[string]any {
	if !cel.MapIsCorrelatable(schema.XMapType) {
		return nil
	}
	old, _ := t.Old.(map[string]any)
	return old
}

// isUnchanged reports whether the update left t, or otherwise its nearest
// correlated ancestor, unchanged. A violated rule is then ratcheted.
func (t Target) isUnchanged() bool {
	if t.Correlation != nil {
		return t.Correlation.CachedDeepEqual()
	}
	return t.ancestor.CachedDeepEqual()
}

// Bindings holds the CEL variables self and oldSelf of a target.
type Bindings struct {
	// Plain lacks oldSelf if the target has no old value.
	Plain map[string]any
	// Optional binds oldSelf as an optional, for rules with optionalOldSelf.
	Optional map[string]any
}

// Bind returns the variables for the rules of node at t.
func Bind(node *Node, t Target) *Bindings {
	schema := node.Schema
	if node.Root {
		schema = model.WithTypeAndObjectMeta(schema)
	}
	self := cel.UnstructuredToVal(t.Value, schema)
	b := &Bindings{
		Plain:    map[string]any{cel.ScopedVarName: self},
		Optional: map[string]any{cel.ScopedVarName: self, cel.OldScopedVarName: types.OptionalNone},
	}
	if t.Old != nil {
		oldSelf := cel.UnstructuredToVal(t.Old, schema)
		b.Plain[cel.OldScopedVarName] = oldSelf
		b.Optional[cel.OldScopedVarName] = types.OptionalOf(oldSelf)
	}
	return b
}
