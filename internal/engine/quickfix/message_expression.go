package quickfix

import (
	"strconv"
	"strings"

	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/parser"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdlab/crdlab/internal/playground"
)

// formatMessage replaces a message expression that concatenates strings with a
// call of format, whose estimated cost is much lower.
func formatMessage(p *problem) []playground.Fix {
	rule, ok := p.rule()
	if !ok {
		return nil
	}
	formatted, ok := FormatCall(p.scalar(p.path...))
	if !ok || !rule.FitsMessage(formatted) {
		return nil
	}
	return p.newFix("Build the message with format()", p.setValue(formatted, p.path...))
}

// FormatCall rewrites a concatenation of strings as a call of format.
func FormatCall(expression string) (rewritten string, ok bool) {
	env := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv()
	parsed, issues := env.Parse(expression)
	if issues.Err() != nil {
		return "", false
	}
	c := concatenation{info: parsed.NativeRep().SourceInfo(), ok: true}
	c.add(parsed.NativeRep().Expr())
	if !c.ok || len(c.arguments) == 0 {
		return "", false
	}
	return strconv.Quote(c.format.String()) + ".format([" + strings.Join(c.arguments, ", ") + "])", true
}

// A concatenation collects the operands of string concatenation.
type concatenation struct {
	info      *ast.SourceInfo
	format    strings.Builder
	arguments []string
	ok        bool
}

func (c *concatenation) add(e ast.Expr) {
	if e.Kind() == ast.CallKind {
		switch call := e.AsCall(); {
		case call.FunctionName() == operators.Add && len(call.Args()) == 2:
			c.add(call.Args()[0])
			c.add(call.Args()[1])
			return
		case call.FunctionName() == "string" && len(call.Args()) == 1 && !call.IsMemberFunction():
			c.addArgument(call.Args()[0])
			return
		}
	}
	if e.Kind() == ast.LiteralKind {
		if literal, isString := e.AsLiteral().Value().(string); isString {
			c.format.WriteString(strings.ReplaceAll(literal, "%", "%%"))
			return
		}
	}
	c.addArgument(e)
}

func (c *concatenation) addArgument(e ast.Expr) {
	argument, err := parser.Unparse(e, c.info)
	c.ok = c.ok && err == nil
	c.arguments = append(c.arguments, argument)
	c.format.WriteString("%s")
}
