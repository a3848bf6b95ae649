package celscope

import (
	"fmt"

	"github.com/google/cel-go/common/decls"

	"github.com/crdlab/crdlab/internal/assist/facts"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/celtoken"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// Hover describes the part of the expression at the cursor: a field, a variable, a function,
// or the operands of an operator or bracket.
func (s *Scope) Hover(c Cursor) playground.Hover {
	hover := playground.Hover{Range: c.Word, Facts: []playground.Fact{}}
	tokens, _ := celtoken.Tokenize(c.Expression)
	at := -1
	for i, token := range tokens {
		if token.Start <= len(c.Before) && len(c.Before) < token.End {
			at = i
		}
	}
	if at < 0 {
		return hover
	}
	hover.Range = tokenRange(c, tokens[at])
	inner := s.withMacroVariables(c.Expression[:tokens[at].Start], tokens[:at])
	first, last := partAt(tokens, at)
	part := sourceOf(c.Expression, tokens[first:last+1])
	hover.Title = tokens[at].Text
	if !tokens[at].IsName() {
		hover.Title = part
	}
	inner.describe(&hover, tokens, at, first)
	if checked := inner.check(part); checked != nil {
		hover.Type = inner.TypeName(checked.OutputType())
		if cost, ok := inner.Cost(checked); ok && first != last {
			hover.Facts = append(hover.Facts, playground.Fact{Name: "cost", Text: fmt.Sprintf("at most %d each time", cost)})
		}
	} else if hover.Description == "" && hover.Type == "" {
		hover.Title = ""
	}
	return hover
}

// partAt returns the first and last token of the part to describe at a token. A name includes its
// operand and its arguments. An operator includes the argument or bracket around it.
func partAt(tokens []celtoken.Token, at int) (first, last int) {
	if tokens[at].IsName() || tokens[at].Nesting() < 0 {
		first, last = min(operandStart(tokens, at+1), at), at
		if at+1 < len(tokens) && tokens[at+1].Text == "(" && tokens[at].IsName() {
			if closing := closingBracket(tokens, at+1); closing > 0 {
				last = closing
			}
		}
		return first, last
	}
	if tokens[at].IsString() || tokens[at].IsWord() {
		return at, at
	}
	return enclosingPart(tokens, at)
}

// enclosingPart returns the first and last token of the innermost argument or bracket
// around a token.
func enclosingPart(tokens []celtoken.Token, at int) (first, last int) {
	first, last = at, at
	for depth := 0; first > 0; first-- {
		nesting := tokens[first-1].Nesting()
		if depth == 0 && (nesting > 0 || tokens[first-1].Text == ",") {
			break
		}
		depth += nesting
	}
	for depth := 0; last < len(tokens)-1; last++ {
		nesting := tokens[last+1].Nesting()
		if depth == 0 && (nesting < 0 || tokens[last+1].Text == ",") {
			break
		}
		depth += nesting
	}
	return first, last
}

// describe adds the documentation of a name from the schema or the library.
func (s *Scope) describe(hover *playground.Hover, tokens []celtoken.Token, at, first int) {
	name := tokens[at].Text
	isMember := at > 0 && tokens[at-1].Text == "."
	isCall := at+1 < len(tokens) && tokens[at+1].Text == "("
	switch {
	case !tokens[at].IsName():
	case isCall:
		s.describeCall(hover, name, joinTokens(tokens[first:max(at-1, first)]), isMember)
	case isMember:
		if typ := s.typeOf(joinTokens(tokens[first : at-1])); typ != nil {
			s.describeField(hover, typ.TypeName(), name)
		}
	default:
		hover.Description = variableDescriptions[name]
	}
}

func (s *Scope) describeField(hover *playground.Hover, typeName, name string) {
	schema := s.schemaOf(typeName)
	property := schema.At(typePath(name))
	if schema.Schema == nil || property.Schema == nil {
		return
	}
	f := facts.List(hover.Facts)
	hover.Description = property.Documentation()
	f.AddValues(property)
	f.AddBounds(property)
	hover.Facts = f
}

func (s *Scope) describeCall(hover *playground.Hover, name, operand string, isMember bool) {
	hover.Description = s.macroDescription(name)
	function := s.env.Functions()[name]
	typ := s.typeOf(operand)
	if isMember && typ == nil {
		function = s.env.Functions()[operand+"."+name]
	}
	if function == nil {
		return
	}
	if hover.Description == "" {
		hover.Description = functionDescription(function)
	}
	signatures, _ := s.signatures(function, func(overload *decls.OverloadDecl) bool {
		if typ == nil {
			return !overload.IsMemberFunction()
		}
		return overload.IsMemberFunction() && accepts(overload.ArgTypes()[0], typ)
	})
	for _, signature := range signatures {
		hover.Facts = append(hover.Facts, playground.Fact{Name: "signature", Text: name + signature})
	}
}

// tokenRange returns the range of a token in the document. The token must be in the line
// of the cursor.
func tokenRange(c Cursor, token celtoken.Token) playground.Range {
	back := yamltext.UTF16Len(c.Expression[token.Start:min(len(c.Before), len(c.Expression))])
	start := c.Position
	start.Character = max(0, start.Character-back)
	end := start
	end.Character += yamltext.UTF16Len(token.Text)
	return playground.Range{Start: start, End: end}
}
