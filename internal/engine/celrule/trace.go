package celrule

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"github.com/google/cel-go/parser"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

const (
	// maxTraces is how many results of an object are traced; a rule that fails
	// for each of a thousand items is understood by then.
	maxTraces = 20
	// maxTraceSteps bounds the trace of a rule that is pages long.
	maxTraceSteps = 200
	// maxTraceValue is the length in bytes at which a value is cut.
	maxTraceValue = 120
)

// trace evaluates rule i of a node once more and lists the values of its
// sub-expressions. The rule's text is at location. It returns no steps if the
// evaluation cannot be repeated.
func trace(node *Node, i int, variables map[string]any, location source.Location) []playground.TraceStep {
	rule := &node.traced[i]
	rule.compile.Do(func() { rule.checked, rule.program = compileTraced(node, i) })
	if rule.program == nil {
		return nil
	}
	_, details, _ := rule.program.Eval(variables) // an error is a part of the trace
	t := Tracer{Info: rule.checked.NativeRep().SourceInfo(), State: details.State(), Rule: location}
	t.Walk(rule.checked.NativeRep().Expr(), false)
	return t.Steps
}

// tracedRule is a rule compiled so that the values of its parts can be seen,
// once it is to be explained.
type tracedRule struct {
	compile sync.Once
	checked *celgo.Ast
	program celgo.Program // nil if the rule does not compile
}

func compileTraced(node *Node, i int) (*celgo.Ast, celgo.Program) {
	env := ruleEnvironment(node, i)
	if env == nil {
		return nil, nil
	}
	checked, issues := env.Compile(node.Schema.XValidations[i].Rule)
	if issues.Err() != nil {
		return nil, nil
	}
	program, err := env.Program(checked, celgo.EvalOptions(celgo.OptTrackState), celgo.CostLimit(celconfig.PerCallLimit))
	if err != nil {
		return nil, nil
	}
	return checked, program
}

// ruleEnvironment is the CEL environment in which rule i of a node compiles,
// set to remember how macros were written.
func ruleEnvironment(node *Node, i int) *celgo.Env {
	single := *node.Schema
	single.XValidations = apiextensionsv1.ValidationRules{node.Schema.XValidations[i]}
	captured := &environmentCapture{}
	_, _ = cel.Compile(&single, node.DeclType, celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), captured)
	if captured.env == nil {
		return nil
	}
	env, err := captured.env.Extend(celgo.EnableMacroCallTracking())
	if err != nil {
		return nil
	}
	return env
}

// environmentCapture keeps the environment that upstream's compiler makes for
// a rule.
type environmentCapture struct{ env *celgo.Env }

func (c *environmentCapture) RuleEnv(set *environment.EnvSet, _ string) *celgo.Env {
	c.env = set.StoredExpressionsEnv()
	return c.env
}

func (c *environmentCapture) MessageExpressionEnv(set *environment.EnvSet, _ string) *celgo.Env {
	return set.StoredExpressionsEnv()
}

type Tracer struct {
	Info  *ast.SourceInfo
	State interpreter.EvalState
	Rule  expressionText
	Steps []playground.TraceStep
}

// expressionText is where the text of an expression stands.
type expressionText interface {
	// RangeAt is that of the token at a line and column, both from 1.
	RangeAt(line, column int) playground.Range
	// Value is that of the whole.
	Value() playground.Range
}

// Walk adds the steps of an expression, its operands first. In a macro such as
// all, the arguments are evaluated for each item.
func (t *Tracer) Walk(expr ast.Expr, loop bool) {
	if macro, ok := t.Info.GetMacroCall(expr.ID()); ok {
		t.walkMacro(expr, macro, loop)
		return
	}
	switch expr.Kind() {
	case ast.CallKind:
		call := expr.AsCall()
		if call.IsMemberFunction() {
			t.Walk(call.Target(), loop)
		}
		for _, arg := range call.Args() {
			t.Walk(arg, loop)
		}
	case ast.SelectKind:
		t.Walk(expr.AsSelect().Operand(), loop)
	case ast.ListKind:
		for _, element := range expr.AsList().Elements() {
			t.Walk(element, loop)
		}
		return
	case ast.IdentKind:
		if value, ok := t.State.Value(expr.ID()); ok && isContainer(value) {
			return // the rule's place shows it
		}
	default:
		return
	}
	t.add(expr, expr, loop)
}

func isContainer(value ref.Val) bool {
	switch value.(type) {
	case traits.Indexer, traits.FieldTester:
		return true
	}
	return false
}

func (t *Tracer) walkMacro(expr, macro ast.Expr, loop bool) {
	call := macro.AsCall()
	if !call.IsMemberFunction() { // has(a.b): a is evaluated, a.b is not
		for _, arg := range call.Args() {
			if arg.Kind() == ast.SelectKind {
				t.Walk(arg.AsSelect().Operand(), loop)
			}
		}
		t.add(expr, macro, loop)
		return
	}
	t.Walk(call.Target(), loop)
	for _, arg := range call.Args() {
		if arg.Kind() != ast.IdentKind { // the names of the loop's variables
			t.Walk(arg, true)
		}
	}
	t.add(expr, macro, loop)
}

// add notes the value of expr, which is written as text.
func (t *Tracer) add(expr, text ast.Expr, loop bool) {
	value, ok := t.State.Value(expr.ID())
	if !ok || len(t.Steps) >= maxTraceSteps {
		return
	}
	written, err := parser.Unparse(text, t.Info)
	if err != nil {
		return
	}
	step := playground.TraceStep{Expression: written, Value: Truncate(FormatValue(value), maxTraceValue), Loop: loop, Range: t.Rule.Value()}
	if at := t.Info.GetStartLocation(expr.ID()); at.Line() > 0 {
		step.Range = t.Rule.RangeAt(at.Line(), at.Column()+1)
	}
	for _, earlier := range t.Steps {
		if earlier.Expression == step.Expression && earlier.Value == step.Value {
			return
		}
	}
	t.Steps = append(t.Steps, step)
}

// CutValue is a text, cut at a length in bytes.
func Truncate(text string, length int) string {
	if len(text) > length {
		return strings.ToValidUTF8(text[:length], "") + "…"
	}
	return text
}

func FormatValue(value ref.Val) string {
	switch value := value.(type) {
	case *types.Optional:
		if value.HasValue() {
			return "optional(" + FormatValue(value.GetValue()) + ")"
		}
	// The rest of a format is the address of a function.
	case *apiservercel.Format:
		return value.Name
	case apiservercel.Format:
		return value.Name
	}
	if data, err := jsonvalue.FromCEL(value); err == nil {
		return jsonvalue.String(data)
	}
	return partlyJSON(value)
}

// partlyJSON writes a value of which not all has JSON.
func partlyJSON(value ref.Val) string {
	switch v := value.(type) {
	case traits.Mapper:
		return "{" + strings.Join(memberTexts(v), ",") + "}"
	case traits.Lister:
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, FormatValue(it.Next()))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	switch data := value.Value().(type) {
	case map[string]any, []any: // what CEL cannot look into
		return jsonvalue.String(data)
	}
	return fmt.Sprint(value)
}

func memberTexts(mapping traits.Mapper) []string {
	var members []string
	for it := mapping.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if key == nil {
			break // upstream leaves room for the keys that the schema does not have
		}
		if value, ok := mapping.Find(key); ok {
			members = append(members, FormatValue(key)+":"+FormatValue(value))
		}
	}
	slices.Sort(members)
	return members
}
