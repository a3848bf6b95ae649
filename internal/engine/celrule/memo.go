package celrule

import (
	"context"
	"math"
	"reflect"
	"slices"
	"unsafe"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
)

// Memo is what the rules of one object evaluated to. Upstream's validator
// evaluates them, for the verdict, in an order of its own and without saying
// which of them passed; what it found is remembered, so that each can be told
// of without evaluating it again.
type Memo map[memoKey]evaluated

// memoKey is all that the value of an expression depends on. The values of
// self and oldSelf are told apart by where they are, if they have parts.
type memoKey struct {
	program   *memoProgram
	self, old any
}

// evaluated is what came out of an expression. The cost is nil if it is not
// known.
type evaluated struct {
	value ref.Val
	cost  *uint64
	err   error
}

func newEvaluated(value ref.Val, details *celgo.EvalDetails, err error) evaluated {
	if details == nil {
		return evaluated{value, nil, err}
	}
	return evaluated{value, details.ActualCost(), err}
}

type memoContext struct{}

// WithMemo is a context in which m remembers what is evaluated.
func WithMemo(ctx context.Context, m Memo) context.Context {
	return context.WithValue(ctx, memoContext{}, m)
}

// recall returns what program was evaluated to with values of self and
// oldSelf; old is nil if there is none.
func (m Memo) recall(program celgo.Program, self, old any) (evaluated, bool) {
	remembered, ok := program.(*memoProgram)
	if !ok {
		return evaluated{}, false
	}
	key, ok := remembered.key(self, old)
	if !ok {
		return evaluated{}, false
	}
	found, ok := m[key]
	return found, ok
}

// memoProgram is an expression whose values are put into the memory of
// the context in which it is evaluated, if that has one.
type memoProgram struct {
	celgo.Program
	usesOldSelf bool
}

// memoized are compiled rules whose values can be remembered.
func memoized(rules []cel.CompilationResult) []cel.CompilationResult {
	rules = slices.Clone(rules)
	for i, rule := range rules {
		_, already := rule.Program.(*memoProgram)
		if rule.Program != nil && !already {
			rules[i].Program = &memoProgram{rule.Program, rule.UsesOldSelf}
		}
	}
	return rules
}

func (p *memoProgram) ContextEval(ctx context.Context, input any) (ref.Val, *celgo.EvalDetails, error) {
	value, details, err := p.Program.ContextEval(ctx, input)
	m, _ := ctx.Value(memoContext{}).(Memo)
	activation, ok := input.(celgo.Activation)
	if m == nil || !ok {
		return value, details, err
	}
	if key, ok := p.key(resolved(activation, cel.ScopedVarName), resolved(activation, cel.OldScopedVarName)); ok {
		m[key] = newEvaluated(value, details, err)
	}
	return value, details, err
}

// key reports false if the values cannot be told apart from others.
func (p *memoProgram) key(self, old any) (key memoKey, ok bool) {
	key.program = p
	if key.self, ok = identity(self); !ok || !p.usesOldSelf {
		return key, ok
	}
	key.old, ok = identity(old)
	return key, ok
}

// identity tells one JSON value from others.
func identity(value any) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		return reflect.ValueOf(value).UnsafePointer(), true
	case []any:
		return listIdentity{unsafe.SliceData(value), len(value)}, true
	case float64:
		// Zero equals minus zero, but to divide by them gives different values.
		return math.Float64bits(value), true
	case nil, string, bool, int64:
		return value, true
	}
	return nil, false
}

type listIdentity struct {
	items  *any
	length int
}

// resolved is the JSON value of a variable; nil if there is none.
func resolved(activation celgo.Activation, name string) any {
	found, ok := activation.ResolveName(name)
	if !ok {
		return nil
	}
	value, ok := found.(ref.Val)
	if optional, isOptional := found.(*types.Optional); isOptional {
		if !optional.HasValue() {
			return nil
		}
		value = optional.GetValue()
	}
	if !ok {
		return nil
	}
	return value.Value()
}

// share has a validator, which nobody uses yet, evaluate the rules of a node
// and those below in place of its own, which are the same ones but do not
// remember.
func share(validator *cel.Validator, node *Node) {
	if validator == nil || node == nil {
		return
	}
	copy(compiledRules(validator), node.Rules)
	share(validator.Items, node.Items)
	share(validator.AdditionalProperties, node.Additional)
	for name, property := range validator.Properties {
		share(&property, node.Properties[name])
	}
}

var compiledRulesField, hasCompiledRules = reflect.TypeFor[cel.Validator]().FieldByName("compiledRules")

// compiledRules are those of a validator's own node. Where upstream keeps them
// is not exported; if it moves them, each rule is compiled and evaluated twice,
// and nothing else changes.
func compiledRules(validator *cel.Validator) []cel.CompilationResult {
	if !hasCompiledRules || compiledRulesField.Type != reflect.TypeFor[[]cel.CompilationResult]() {
		return nil
	}
	return *(*[]cel.CompilationResult)(unsafe.Add(unsafe.Pointer(validator), compiledRulesField.Offset))
}
