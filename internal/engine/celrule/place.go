package celrule

import (
	"github.com/google/cel-go/common/types"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/utils/ptr"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// Place is where rules are evaluated.
type Target struct {
	Value any
	// Old is the value that an update replaces, if the two can be paired.
	Old       any
	Path      []any
	fieldPath *field.Path

	// Correlation pairs value and old; nil if they cannot be paired. Then
	// ancestor is the nearest value above that can.
	Correlation, ancestor *common.CorrelatedObject
}

func (p Target) Item(i int, value, old any) Target {
	next := Target{Value: value, Old: old, Path: jsonvalue.AppendStep(p.Path, i), fieldPath: p.fieldPath.Index(i), ancestor: p.ancestor}
	if p.Correlation != nil {
		next.Correlation, next.ancestor = p.Correlation.Index(i), p.Correlation
	}
	return next
}

func (p Target) Member(key string, fieldPath *field.Path, value, old any) Target {
	next := Target{Value: value, Old: old, Path: jsonvalue.AppendStep(p.Path, key), fieldPath: fieldPath, ancestor: p.ancestor}
	switch {
	case p.Correlation == nil:
	case p.ancestor == nil && (key == "apiVersion" || key == "kind"):
		// Old and new are converted to one version, so a change of these
		// cannot be seen, and is never forgiven.
		next.ancestor = nil
	default:
		next.Correlation, next.ancestor = p.Correlation.Key(key), p.Correlation
	}
	return next
}

// OldItems are the items of the list that an update replaces, by upstream's way
// of pairing them.
func (p Target) OldItems(schema *structuralschema.Structural) common.MapList {
	old, _ := p.Old.([]any)
	return common.MakeMapList(&model.Structural{Structural: schema}, old)
}

// OldMembers are those of the mapping that an update replaces, unless they
// cannot be paired.
func (p Target) OldMembers(schema *structuralschema.Structural) map[string]any {
	if !cel.MapIsCorrelatable(schema.XMapType) {
		return nil
	}
	old, _ := p.Old.(map[string]any)
	return old
}

// unchanged says whether the value, or else the nearest value above that can
// be paired, is as it was; then a rule that does not hold only warns.
func (p Target) unchanged() bool {
	if p.Correlation != nil {
		return p.Correlation.CachedDeepEqual()
	}
	return p.ancestor.CachedDeepEqual()
}

// Activations bind self and oldSelf for the rules of a node at a place, once
// one of them is evaluated.
type Activations struct {
	Node  *Node
	Place Target
	// optional is for rules that take oldSelf as an optional.
	Plain, Optional map[string]any
}

// of binds them for rule i.
func (a *Activations) of(i int) map[string]any {
	if a.Plain == nil {
		a.Bind()
	}
	if ptr.Deref(a.Node.Schema.XValidations[i].OptionalOldSelf, false) {
		return a.Optional
	}
	return a.Plain
}

func (a *Activations) Bind() {
	schema := a.Node.Schema
	if a.Node.Root {
		schema = model.WithTypeAndObjectMeta(schema)
	}
	self := cel.UnstructuredToVal(a.Place.Value, schema)
	a.Plain = map[string]any{cel.ScopedVarName: self}
	a.Optional = map[string]any{cel.ScopedVarName: self, cel.OldScopedVarName: types.OptionalNone}
	if a.Place.Old != nil {
		oldSelf := cel.UnstructuredToVal(a.Place.Old, schema)
		a.Plain[cel.OldScopedVarName] = oldSelf
		a.Optional[cel.OldScopedVarName] = types.OptionalOf(oldSelf)
	}
}
