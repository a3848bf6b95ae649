package witness

import (
	"context"
	"iter"
	"reflect"
	"slices"

	"github.com/google/cel-go/common/types"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/crdlab/crdlab/internal/engine/celrule"
	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/engine/solve"
)

const (
	// maxVariants limits the objects with one change that may tell two rules apart, and maxPairs those with two.
	maxVariants = 80
	maxPairs    = 600
	// maxValues limits the values to try for each value that a rule reads.
	maxValues = 8
	// maxPromising limits the objects for which the rules differ, and that must become acceptable.
	maxPromising = 3
	// maxTellingAttempts limits the objects to evaluate for each of them.
	maxTellingAttempts = 25
)

// A ruleChange is a rule that differs between two CRDs. Evaluating two rules for a value takes microseconds, and
// evaluating an object takes milliseconds.
type ruleChange struct {
	ctx     context.Context
	version string
	path    crdschema.Path
	// root is the schema of the version.
	root *structuralschema.Structural
	// before and after are the nodes of the rule in the two CRDs, and i is its index.
	before, after *celrule.Node
	i             int
}

// newRuleChange returns the changed rule of a node, or nil if all are the same.
func (c *Comparison) newRuleChange(ctx context.Context, change Change, version string) *ruleChange {
	old, new := c.crd.Versions[version], change.CRD.Versions[version]
	if old == nil || new == nil {
		return nil
	}
	before, after := nodeAt(old.Rules, change.Own.Path), nodeAt(new.Rules, change.Own.Path)
	if before == nil || after == nil {
		return nil
	}
	rules := after.Schema.XValidations
	for i, rule := range before.Schema.XValidations {
		if i < len(rules) && i < len(before.Rules) && i < len(after.Rules) && !reflect.DeepEqual(rules[i], rule) {
			return &ruleChange{ctx, version, change.Own.Path, new.Schema, before, after, i}
		}
	}
	return nil
}

// nodeAt returns the node at a path, or nil.
func nodeAt(node *celrule.Node, path crdschema.Path) *celrule.Node {
	for len(path) > 0 && node != nil {
		switch path[0] {
		case "properties":
			node, path = node.Properties[path[1]], path[2:]
		case "items":
			node, path = node.Items, path[1:]
		default:
			node, path = node.Additional, path[1:]
		}
	}
	return node
}

// expressions returns the rule in both CRDs.
func (r *ruleChange) expressions() [2]string {
	return [2]string{r.before.Schema.XValidations[r.i].Rule, r.after.Schema.XValidations[r.i].Rule}
}

// changesError reports that only the error of the rule differs.
func (r *ruleChange) changesError() bool { return r.expressions()[0] == r.expressions()[1] }

func (r *ruleChange) usesOldSelf() bool {
	return r.before.Rules[r.i].UsesOldSelf || r.after.Rules[r.i].UsesOldSelf
}

// A difference is the effect of a changed rule on an object.
type difference int

const (
	none difference = iota
	// tightens means that the rule only holds before the change, and loosens that it only holds after it, or that its
	// error differs.
	tightens
	loosens
)

// effect returns the effect of the change on an object, or on its update if old is not nil. hasError reports that an
// evaluation had an error instead of a result.
func (r *ruleChange) effect(object, old map[string]any) (effect difference, hasError bool) {
	for _, target := range r.targets(r.defaulted(object), r.defaulted(old), r.path) {
		if target.Value == nil {
			continue
		}
		before, failedBefore := r.holds(r.before, target)
		after, failedAfter := r.holds(r.after, target)
		hasError = hasError || failedBefore || failedAfter
		after = after || r.changesError()
		switch {
		case before == after:
		case before && effect != loosens:
			effect = tightens
		case after && effect != tightens:
			effect = loosens
		default:
			return none, hasError // both CRDs reject the object
		}
	}
	return effect, hasError
}

// defaulted returns a copy of an object with the defaults of the schema.
func (r *ruleChange) defaulted(object map[string]any) any {
	if object == nil {
		return nil
	}
	copied := runtime.DeepCopyJSON(object)
	defaulting.Default(copied, r.root)
	return copied
}

// targets returns the values at a path.
func (r *ruleChange) targets(value, old any, path crdschema.Path) []celrule.Target {
	if len(path) == 0 {
		return []celrule.Target{{Value: value, Old: old}}
	}
	var found []celrule.Target
	switch value := value.(type) {
	case map[string]any:
		members, _ := old.(map[string]any)
		if path[0] == "properties" {
			if child, has := value[path[1]]; has {
				return r.targets(child, members[path[1]], path[2:])
			}
			return nil
		}
		for name, child := range value {
			found = append(found, r.targets(child, members[name], path[1:])...)
		}
	case []any:
		items, _ := old.([]any)
		for i, item := range value {
			var before any
			if i < len(items) {
				before = items[i]
			}
			found = append(found, r.targets(item, before, path[1:])...)
		}
	}
	return found
}

// holds reports whether a rule holds for a value. An error rejects the value, too.
func (r *ruleChange) holds(node *celrule.Node, target celrule.Target) (holds, hasError bool) {
	rule, compiled := node.Schema.XValidations[r.i], node.Rules[r.i]
	isOptional := rule.OptionalOldSelf != nil && *rule.OptionalOldSelf
	if compiled.Program == nil || compiled.UsesOldSelf && target.Old == nil && !isOptional {
		return true, false
	}
	bindings := celrule.Bind(node, target)
	variables := bindings.Plain
	if isOptional {
		variables = bindings.Optional
	}
	result, _, err := compiled.Program.ContextEval(r.ctx, variables)
	return err == nil && result == types.True, err != nil
}

// reads returns the paths of the values that the rules read, and that of self, which is at path.
func (r *ruleChange) reads(root crdschema.Schema, path []any) (all [][]any) {
	for _, expression := range r.expressions() {
		reads, _ := celvalue.Operands(expression)
		for _, steps := range reads {
			all = append(all, solve.ReadPath(root, path, steps))
		}
	}
	return append(all, path)
}

// edits returns changes of the values that the rules read: near their literals, other values, and none.
func (r *ruleChange) edits(root crdschema.Schema, path []any, reads [][]any) []solve.Edit {
	var all []solve.Edit
	for _, expression := range r.expressions() {
		all = append(all, solve.RuleEdits(root, path, expression)...)
	}
	for _, read := range reads {
		schema := root.At(read)
		if schema.Schema == nil || len(read) == 0 {
			continue
		}
		values := node{old: schema, new: schema}.varied(schema, crdschema.Sample(schema))
		for _, value := range values[:min(len(values), maxValues)] {
			all = append(all, solve.Edit{Path: read, Value: value})
		}
	}
	return all
}

// variants returns an object, and copies with one of the changes.
func variants(root crdschema.Schema, edits []solve.Edit, object map[string]any) []map[string]any {
	all, known := []map[string]any{object}, map[string]bool{jsonvalue.String(object): true}
	for _, edit := range edits {
		changed, ok := edit.Place(root, object)
		if key := jsonvalue.String(changed); ok && !known[key] && len(all) < maxVariants {
			known[key] = true
			all = append(all, changed)
		}
	}
	return all
}

// doubled returns copies of an object with two equal items in the lists that the rules read.
func doubled(reads [][]any, object map[string]any) (all []map[string]any) {
	for _, read := range reads {
		value, _ := jsonvalue.At(object, read)
		list, _ := value.([]any)
		if len(list) != 1 {
			continue
		}
		if twice, ok := solve.Replace(object, read, slices.Repeat(list, 2)).(map[string]any); ok {
			all = append(all, twice)
		}
	}
	return all
}

// An update is a new object, and the one that it replaces; nil if it is created.
type update struct{ object, old map[string]any }

// updates returns what may tell the rules apart, the simplest first: objects with one change, updates between these,
// and objects with two changes.
func (r *ruleChange) updates(root crdschema.Schema, path []any, base map[string]any) iter.Seq[update] {
	return func(yield func(update) bool) {
		reads := r.reads(root, path)
		edits := r.edits(root, path, reads)
		variants := variants(root, edits, base)
		for _, object := range variants {
			if !yield(update{object, nil}) {
				return
			}
		}
		if r.usesOldSelf() {
			for _, old := range variants {
				for _, object := range variants {
					if !yield(update{object, old}) {
						return
					}
				}
			}
			return
		}
		for _, object := range variants {
			for _, twice := range doubled(reads, object) {
				if !yield(update{twice, nil}) {
					return
				}
			}
		}
		count := 0
		for i, object := range variants[1:] {
			for _, edit := range edits[min(i, len(edits)):] {
				if count++; count > maxPairs {
					return
				}
				if changed, ok := edit.Place(root, object); ok && !yield(update{changed, nil}) {
					return
				}
			}
		}
	}
}

// A promisingUpdate tells two rules apart, but the API server may refuse it for other reasons.
type promisingUpdate struct {
	update
	effect difference
}

// promising returns the first updates that tell the rules apart: those for which a rule fails before those with an error,
// which say less about the rule.
func (r *ruleChange) promising(root crdschema.Schema, path []any, base map[string]any) []promisingUpdate {
	var failing, others []promisingUpdate
	for u := range r.updates(root, path, base) {
		if r.ctx.Err() != nil || len(failing) >= maxPromising {
			break
		}
		switch effect, hasError := r.effect(u.object, u.old); {
		case effect == none:
		case hasError:
			others = append(others, promisingUpdate{u, effect})
		default:
			failing = append(failing, promisingUpdate{u, effect})
		}
	}
	return slices.Concat(failing, others[:min(len(others), maxPromising)])
}
