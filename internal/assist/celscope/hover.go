package celscope

import (
	"fmt"

	"github.com/google/cel-go/common/decls"

	"github.com/crdlab/crdlab/internal/assist/facts"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// Hover describes the part of the expression at the cursor: a field, a variable, a function,
// or the operands of an operator or bracket.
func (s *Scope) Hover(c Cursor) playground.Hover {
	hover := playground.Hover{Range: c.Word, Facts: []playground.Fact{}}
	tokens, _ := tokenize(c.Expression)
	at := -1
	for i, token := range tokens {
		if token.start <= len(c.Before) && len(c.Before) < token.end {
			at = i
		}
	}
	if at < 0 {
		return hover
	}
	hover.Range = tokenRange(c, tokens[at])
	inner := s.withMacroVariables(c.Expression[:tokens[at].start], tokens[:at])
	first, last := partAt(tokens, at)
	part := sourceOf(c.Expression, tokens[first:last+1])
	hover.Title = tokens[at].text
	if !tokens[at].isName() {
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
func partAt(tokens []token, at int) (first, last int) {
	if tokens[at].isName() || tokens[at].nesting() < 0 {
		first, last = min(operandStart(tokens, at+1), at), at
		if at+1 < len(tokens) && tokens[at+1].text == "(" && tokens[at].isName() {
			if closing := closingBracket(tokens, at+1); closing > 0 {
				last = closing
			}
		}
		return first, last
	}
	if tokens[at].isString() || isWordByte(tokens[at].text[0]) {
		return at, at
	}
	return enclosingPart(tokens, at)
}

// enclosingPart returns the first and last token of the innermost argument or bracket
// around a token.
func enclosingPart(tokens []token, at int) (first, last int) {
	first, last = at, at
	for depth := 0; first > 0; first-- {
		nesting := tokens[first-1].nesting()
		if depth == 0 && (nesting > 0 || tokens[first-1].text == ",") {
			break
		}
		depth += nesting
	}
	for depth := 0; last < len(tokens)-1; last++ {
		nesting := tokens[last+1].nesting()
		if depth == 0 && (nesting < 0 || tokens[last+1].text == ",") {
			break
		}
		depth += nesting
	}
	return first, last
}

// describe adds the documentation of a name from the schema or the library.
func (s *Scope) describe(hover *playground.Hover, tokens []token, at, first int) {
	name := tokens[at].text
	isMember := at > 0 && tokens[at-1].text == "."
	isCall := at+1 < len(tokens) && tokens[at+1].text == "("
	switch {
	case !tokens[at].isName():
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
func tokenRange(c Cursor, token token) playground.Range {
	back := yamltext.UTF16Len(c.Expression[token.start:min(len(c.Before), len(c.Expression))])
	start := c.Position
	start.Character = max(0, start.Character-back)
	end := start
	end.Character += yamltext.UTF16Len(token.text)
	return playground.Range{Start: start, End: end}
}
