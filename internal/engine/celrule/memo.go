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

// A Memo holds the results of all rules for one object. Upstream's validator
// evaluates the rules in its own order and does not report the ones that passed. The
// memo records each of its evaluations, so that [Evaluate] reports single rules
// without evaluating them again. BenchmarkMemo measures the gain. A memo lives as long as the evaluation of its object.
type Memo map[memoKey]evaluated

// A memoKey identifies the evaluation of an expression. It holds the addresses of
// self and oldSelf if they are mappings or lists, and otherwise their values.
type memoKey struct {
	program   *memoProgram
	self, old any
}

// evaluated holds the result of an expression.
type evaluated struct {
	value ref.Val
	cost  *uint64 // nil if unknown
	err   error
}

func newEvaluated(value ref.Val, details *celgo.EvalDetails, err error) evaluated {
	if details == nil {
		return evaluated{value, nil, err}
	}
	return evaluated{value, details.ActualCost(), err}
}

type memoContext struct{}

// WithMemo returns a context in which compiled rules record their results in m.
func WithMemo(ctx context.Context, m Memo) context.Context {
	return context.WithValue(ctx, memoContext{}, m)
}

// lookUp returns the recorded result of program for self and oldSelf. old is nil if
// oldSelf is unset.
func (m Memo) lookUp(program celgo.Program, self, old any) (evaluated, bool) {
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

// A memoProgram is an expression that records its results in the memo of its
// context.
type memoProgram struct {
	celgo.Program
	usesOldSelf bool
}

// memoizeRules returns rules whose programs record their results.
func memoizeRules(rules []cel.CompilationResult) []cel.CompilationResult {
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
	if key, ok := p.key(resolveValue(activation, cel.ScopedVarName), resolveValue(activation, cel.OldScopedVarName)); ok {
		m[key] = newEvaluated(value, details, err)
	}
	return value, details, err
}

// key returns the key of an evaluation. It reports false if a value has no identity.
func (p *memoProgram) key(self, old any) (key memoKey, ok bool) {
	key.program = p
	if key.self, ok = identity(self); !ok || !p.usesOldSelf {
		return key, ok
	}
	key.old, ok = identity(old)
	return key, ok
}

// identity returns a comparable that differs for any two JSON values that an object
// may hold at the same time.
func identity(value any) (any, bool) {
	switch value := value.(type) {
	case map[string]any:
		return reflect.ValueOf(value).UnsafePointer(), true
	case []any:
		return listIdentity{unsafe.SliceData(value), len(value)}, true
	case float64:
		// Zero equals minus zero, but division by them gives different results.
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

// resolveValue returns the JSON value of a variable, or nil if it is unset.
func resolveValue(activation celgo.Activation, name string) any {
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

// memoizeValidator replaces the compiled rules of a new validator with the rules of
// node and its descendants. These are equal, but record their results.
func memoizeValidator(validator *cel.Validator, node *Node) {
	if validator == nil || node == nil {
		return
	}
	for i, rule := range compiledRules(validator) {
		// Another validator may share rules that record their results.
		if _, already := rule.Program.(*memoProgram); rule.Program != nil && !already && i < len(node.Rules) {
			compiledRules(validator)[i] = node.Rules[i]
		}
	}
	memoizeValidator(validator.Items, node.Items)
	memoizeValidator(validator.AdditionalProperties, node.Additional)
	for name, property := range validator.Properties {
		memoizeValidator(&property, node.Properties[name])
	}
}

var compiledRulesField, hasCompiledRules = reflect.TypeFor[cel.Validator]().FieldByName("compiledRules")

// compiledRules returns the rules of a validator's own node from an unexported field.
// If upstream renames the field, compiledRules returns nil and each rule is compiled
// and evaluated twice; a test then fails. There is no exported way: the compiler of a
// validator cannot be replaced.
func compiledRules(validator *cel.Validator) []cel.CompilationResult {
	if !hasCompiledRules || compiledRulesField.Type != reflect.TypeFor[[]cel.CompilationResult]() {
		return nil
	}
	return *(*[]cel.CompilationResult)(unsafe.Add(unsafe.Pointer(validator), compiledRulesField.Offset))
}
