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

	"github.com/crdlab/crdlab/internal/engine/celvalue"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

const (
	// maxTraces limits the traced results of an object. A few examples explain a
	// rule that fails for a thousand items.
	maxTraces = 20
	// maxTraceSteps limits the trace of a very long rule.
	maxTraceSteps = 200
	// maxTraceValue limits the length of a value in bytes.
	maxTraceValue = 120
)

// traceRule evaluates rule i of a node once more and returns the values of its
// subexpressions. location is the position of the rule in the CRD. It returns nil
// if the rule cannot be evaluated again.
func traceRule(node *Node, i int, variables map[string]any, location source.Location) []playground.TraceStep {
	rule := node.tracedRule(i)
	if rule.program == nil {
		return nil
	}
	_, details, _ := rule.program.Eval(variables) // the trace shows an error, too
	return Trace(rule.checked, details.State(), location)
}

// Trace returns the values that an evaluation of checked gave its subexpressions,
// operands before operators. The environment must track macro calls and the program
// must track state. expression is the position of the source.
func Trace(checked *celgo.Ast, state interpreter.EvalState, expression Positions) []playground.TraceStep {
	t := tracer{info: checked.NativeRep().SourceInfo(), state: state, positions: expression}
	t.walk(checked.NativeRep().Expr(), false)
	return t.steps
}

// Positions maps an expression to its document.
type Positions interface {
	// RangeAt returns the range of the token at a one-based line and column.
	RangeAt(line, column int) playground.Range
	// Value returns the range of the whole expression.
	Value() playground.Range
}

// A Traced is an expression whose program tracks the values of its subexpressions.
type Traced struct {
	text    string
	env     *celgo.Env
	checked *celgo.Ast
	program celgo.Program // nil if the expression does not compile
	// guards holds the programs of [Fault]'s guards by their sources; nil if one does not compile.
	guards sync.Map
}

// NewTraced compiles an expression in an environment, which may be nil.
func NewTraced(env *celgo.Env, text string) *Traced {
	t := &Traced{text: text}
	if env == nil {
		return t
	}
	extended, err := env.Extend(celgo.EnableMacroCallTracking())
	if err != nil {
		return t
	}
	t.env = extended
	t.checked, t.program = t.compiled(text, celgo.EvalOptions(celgo.OptTrackState))
	return t
}

// compiled compiles source in the environment of the expression. The program is nil if the source
// does not compile.
func (t *Traced) compiled(text string, options ...celgo.ProgramOption) (*celgo.Ast, celgo.Program) {
	checked, issues := t.env.Compile(text)
	if issues.Err() != nil {
		return nil, nil
	}
	program, err := t.env.Program(checked, append(options, celgo.CostLimit(celconfig.PerCallLimit))...)
	if err != nil {
		return nil, nil
	}
	return checked, program
}

// A tracedRule compiles a rule when it first fails, and its messageExpression when it is first
// ignored.
type tracedRule struct {
	compileRule, compileMessage sync.Once
	rule, message               *Traced
}

// tracedRule returns rule i, compiled.
func (n *Node) tracedRule(i int) *Traced {
	traced := &n.traced[i]
	traced.compileRule.Do(func() { traced.rule = NewTraced(ruleEnvironment(n, i), n.Schema.XValidations[i].Rule) })
	return traced.rule
}

// tracedMessage returns the messageExpression of rule i, compiled.
func (n *Node) tracedMessage(i int) *Traced {
	traced := &n.traced[i]
	traced.compileMessage.Do(func() { traced.message = NewTraced(ruleEnvironment(n, i), n.Schema.XValidations[i].MessageExpression) })
	return traced.message
}

// ruleEnvironment returns the CEL environment of rule i of a node, or nil.
func ruleEnvironment(node *Node, i int) *celgo.Env {
	single := *node.Schema
	single.XValidations = apiextensionsv1.ValidationRules{node.Schema.XValidations[i]}
	captured := &environmentCapture{}
	_, _ = cel.Compile(&single, node.DeclType, celconfig.PerCallLimit,
		environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), captured)
	return captured.env
}

// An environmentCapture captures the environment that upstream's compiler uses for
// a rule.
type environmentCapture struct{ env *celgo.Env }

func (c *environmentCapture) RuleEnv(set *environment.EnvSet, _ string) *celgo.Env {
	c.env = set.StoredExpressionsEnv()
	return c.env
}

func (c *environmentCapture) MessageExpressionEnv(set *environment.EnvSet, _ string) *celgo.Env {
	return set.StoredExpressionsEnv()
}

// A tracer collects the steps of a trace.
type tracer struct {
	info      *ast.SourceInfo
	state     interpreter.EvalState
	positions Positions
	steps     []playground.TraceStep
}

// walk adds the steps of an expression, operands first. loop marks the arguments of
// a macro such as all, which CEL evaluates for each item.
func (t *tracer) walk(expr ast.Expr, loop bool) {
	if macro, ok := t.info.GetMacroCall(expr.ID()); ok {
		t.walkMacro(expr, macro, loop)
		return
	}
	switch expr.Kind() {
	case ast.CallKind:
		call := expr.AsCall()
		if call.IsMemberFunction() {
			t.walk(call.Target(), loop)
		}
		for _, arg := range call.Args() {
			t.walk(arg, loop)
		}
	case ast.SelectKind:
		t.walk(expr.AsSelect().Operand(), loop)
	case ast.ListKind:
		for _, element := range expr.AsList().Elements() {
			t.walk(element, loop)
		}
		return
	case ast.IdentKind:
		if value, ok := t.state.Value(expr.ID()); ok && isContainer(value) {
			return // the report shows the object anyway
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

func (t *tracer) walkMacro(expr, macro ast.Expr, loop bool) {
	call := macro.AsCall()
	if !call.IsMemberFunction() { // has(a.b) evaluates a, but not a.b
		for _, arg := range call.Args() {
			if arg.Kind() == ast.SelectKind {
				t.walk(arg.AsSelect().Operand(), loop)
			}
		}
		t.add(expr, macro, loop)
		return
	}
	t.walk(call.Target(), loop)
	for _, arg := range call.Args() {
		if arg.Kind() != ast.IdentKind { // not a loop variable
			t.walk(arg, true)
		}
	}
	t.add(expr, macro, loop)
}

// add adds the value of expr, whose source form is written.
func (t *tracer) add(expr, written ast.Expr, loop bool) {
	value, ok := t.state.Value(expr.ID())
	if !ok || len(t.steps) >= maxTraceSteps {
		return
	}
	unparsed, err := parser.Unparse(written, t.info)
	if err != nil {
		return
	}
	step := playground.TraceStep{Expression: unparsed, Value: Truncate(FormatValue(value), maxTraceValue), Loop: loop, Range: t.positions.Value()}
	if at := t.info.GetStartLocation(expr.ID()); at.Line() > 0 {
		step.Range = t.positions.RangeAt(at.Line(), at.Column()+1)
	}
	for _, earlier := range t.steps {
		if earlier.Expression == step.Expression && earlier.Value == step.Value {
			return
		}
	}
	t.steps = append(t.steps, step)
}

// Truncate shortens s to at most length bytes and marks the cut with an ellipsis.
func Truncate(s string, length int) string {
	if len(s) > length {
		return strings.ToValidUTF8(s[:length], "") + "…"
	}
	return s
}

// FormatValue returns the JSON of a CEL value. A value without JSON, such as a type
// or a format, has a readable form instead.
func FormatValue(value ref.Val) string {
	switch value := value.(type) {
	case *types.Optional:
		if value.HasValue() {
			return "optional(" + FormatValue(value.GetValue()) + ")"
		}
		return "optional.none()"
	// Apart from its name, a format only holds a function pointer.
	case *apiservercel.Format:
		return value.Name
	case apiservercel.Format:
		return value.Name
	}
	if data, err := celvalue.ToJSON(value); err == nil {
		return jsonvalue.String(data)
	}
	return formatPartly(value)
}

// formatPartly formats a value with parts that have no JSON.
func formatPartly(value ref.Val) string {
	switch v := value.(type) {
	case traits.Mapper:
		return "{" + strings.Join(formatMembers(v), ",") + "}"
	case traits.Lister:
		var items []string
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, FormatValue(it.Next()))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	switch data := value.Value().(type) {
	case map[string]any, []any: // opaque to CEL
		return jsonvalue.String(data)
	}
	return fmt.Sprint(value)
}

func formatMembers(mapping traits.Mapper) []string {
	var members []string
	for it := mapping.Iterator(); it.HasNext() == types.True; {
		key := it.Next()
		if key == nil {
			break // upstream counts keys that the schema lacks, but does not return them
		}
		if value, ok := mapping.Find(key); ok {
			members = append(members, FormatValue(key)+":"+FormatValue(value))
		}
	}
	slices.Sort(members)
	return members
}
