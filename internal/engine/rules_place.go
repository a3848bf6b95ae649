package engine

import (
	"github.com/google/cel-go/common/types"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/utils/ptr"
)

// place is where rules are evaluated.
type place struct {
	value any
	// old is the value that an update replaces, if the two can be paired.
	old       any
	path      []any
	fieldPath *field.Path

	// correlation pairs value and old; nil if they cannot be paired. Then
	// ancestor is the nearest value above that can.
	correlation, ancestor *common.CorrelatedObject
}

func (p place) item(i int, value, old any) place {
	next := place{value: value, old: old, path: appendStep(p.path, i), fieldPath: p.fieldPath.Index(i), ancestor: p.ancestor}
	if p.correlation != nil {
		next.correlation, next.ancestor = p.correlation.Index(i), p.correlation
	}
	return next
}

func (p place) member(key string, fieldPath *field.Path, value, old any) place {
	next := place{value: value, old: old, path: appendStep(p.path, key), fieldPath: fieldPath, ancestor: p.ancestor}
	switch {
	case p.correlation == nil:
	case p.ancestor == nil && (key == "apiVersion" || key == "kind"):
		// Old and new are converted to one version, so a change of these
		// cannot be seen, and is never forgiven.
		next.ancestor = nil
	default:
		next.correlation, next.ancestor = p.correlation.Key(key), p.correlation
	}
	return next
}

// oldItems are the items of the list that an update replaces, by upstream's way
// of pairing them.
func (p place) oldItems(schema *structuralschema.Structural) common.MapList {
	old, _ := p.old.([]any)
	return common.MakeMapList(&model.Structural{Structural: schema}, old)
}

// oldMembers are those of the mapping that an update replaces, unless they
// cannot be paired.
func (p place) oldMembers(schema *structuralschema.Structural) map[string]any {
	if !cel.MapIsCorrelatable(schema.XMapType) {
		return nil
	}
	old, _ := p.old.(map[string]any)
	return old
}

// unchanged says whether the value, or else the nearest value above that can
// be paired, is as it was; then a rule that does not hold only warns.
func (p place) unchanged() bool {
	if p.correlation != nil {
		return p.correlation.CachedDeepEqual()
	}
	return p.ancestor.CachedDeepEqual()
}

// activations bind self and oldSelf for the rules of a node at a place, once
// one of them is evaluated.
type activations struct {
	node  *ruleNode
	place place
	// optional is for rules that take oldSelf as an optional.
	plain, optional map[string]any
}

// of binds them for rule i.
func (a *activations) of(i int) map[string]any {
	if a.plain == nil {
		a.bind()
	}
	if ptr.Deref(a.node.schema.XValidations[i].OptionalOldSelf, false) {
		return a.optional
	}
	return a.plain
}

func (a *activations) bind() {
	schema := a.node.schema
	if a.node.root {
		schema = model.WithTypeAndObjectMeta(schema)
	}
	self := cel.UnstructuredToVal(a.place.value, schema)
	a.plain = map[string]any{cel.ScopedVarName: self}
	a.optional = map[string]any{cel.ScopedVarName: self, cel.OldScopedVarName: types.OptionalNone}
	if a.place.old != nil {
		oldSelf := cel.UnstructuredToVal(a.place.old, schema)
		a.plain[cel.OldScopedVarName] = oldSelf
		a.optional[cel.OldScopedVarName] = types.OptionalOf(oldSelf)
	}
}
