package celscope

import (
	"slices"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// openMacro is a macro call without its closing parenthesis. The cursor is in the last
// argument.
type openMacro struct {
	operand   string
	name      string
	arguments [][]celtoken.Token
}

// openMacros returns the member macros around the end of an expression, outerlimit first.
func openMacros(expression string, tokens []celtoken.Token) []openMacro {
	var macros []openMacro
	for i, token := range tokens {
		if token.Text != "(" || closingBracket(tokens, i) >= 0 || i < 3 || tokens[i-2].Text != "." {
			continue
		}
		operand := operandStart(tokens, i-2)
		macros = append(macros, openMacro{
			operand:   sourceOf(expression, tokens[operand:i-2]),
			name:      tokens[i-1].Text,
			arguments: splitArguments(tokens[i+1:]),
		})
	}
	return macros
}

// splitArguments splits tokens at the commas outside brackets.
func splitArguments(tokens []celtoken.Token) [][]celtoken.Token {
	arguments, depth := [][]celtoken.Token{nil}, 0
	for _, token := range tokens {
		depth += token.Nesting()
		if token.Text == "," && depth == 0 {
			arguments = append(arguments, nil)
			continue
		}
		arguments[len(arguments)-1] = append(arguments[len(arguments)-1], token)
	}
	return arguments
}

// twoVariableMacros lists the macros that accept an index or key and an element.
var twoVariableMacros = []string{"all", "exists", "existsOne", "exists_one", "transformList", "transformMap", "transformMapEntry"}

// variables returns the variables that the macro declares for its last argument.
func (m openMacro) variables() []string {
	var names []string
	limit := 1
	if slices.Contains(twoVariableMacros, m.name) {
		limit = 2
	}
	for i, argument := range m.arguments[:len(m.arguments)-1] {
		if i >= limit || len(argument) != 1 || !argument[0].IsName() {
			break
		}
		names = append(names, argument[0].Text)
	}
	return names
}

// withMacroVariables returns the scope at the end of an expression, with the variables of
// the macros around it.
func (s *Scope) withMacroVariables(expression string, tokens []celtoken.Token) *Scope {
	inner := *s
	for _, macro := range openMacros(expression, tokens) {
		inner.declareVariables(macro)
	}
	return &inner
}

// declareVariables adds the variables that a macro declares.
func (s *Scope) declareVariables(macro openMacro) {
	names := macro.variables()
	if len(names) == 0 {
		return
	}
	variables := map[string]*types.Type{}
	if macro.operand == "cel" && macro.name == "bind" {
		if len(macro.arguments) > 2 {
			variables[names[0]] = s.typeOf(joinTokens(macro.arguments[1]))
		}
	} else {
		elementVariables(s.typeOf(macro.operand), names, variables)
	}
	var options []celgo.EnvOption
	for name, kind := range variables {
		if kind != nil {
			options = append(options, celgo.Variable(name, kind))
		}
	}
	if env, err := s.env.Extend(options...); err == nil {
		s.env = env
	}
}

// elementVariables sets the types of a macro's variables by the type of its operand.
func elementVariables(typ *types.Type, names []string, variables map[string]*types.Type) {
	if typ == nil {
		return
	}
	parameters := typ.Parameters()
	switch {
	case typ.Kind() == types.ListKind && len(names) == 1:
		variables[names[0]] = parameters[0]
	case typ.Kind() == types.ListKind:
		variables[names[0]], variables[names[1]] = types.IntType, parameters[0]
	case typ.Kind() == types.MapKind && len(names) == 1:
		variables[names[0]] = parameters[0]
	case typ.Kind() == types.MapKind:
		variables[names[0]], variables[names[1]] = parameters[0], parameters[1]
	case isOptional(typ):
		variables[names[0]] = parameters[0]
	default:
		for _, name := range names {
			variables[name] = types.DynType
		}
	}
}
