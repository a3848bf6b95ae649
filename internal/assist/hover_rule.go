package assist

import (
	"fmt"

	"github.com/google/cel-go/common/decls"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/position"
)

// hover describes the part of an expression at the cursor: a field, a variable,
// a function, or what an operator or a bracket belongs to.
func (s *celScope) hover(p *cursorContext) playground.Hover {
	hover := playground.Hover{Range: p.Word, Facts: []playground.Fact{}}
	tokens, _ := celTokens(p.Text)
	at := -1
	for i, token := range tokens {
		if token.start <= len(p.Before) && len(p.Before) < token.end {
			at = i
		}
	}
	if at < 0 {
		return hover
	}
	hover.Range = tokenRange(p, tokens[at])
	inner := s.within(p.Text[:tokens[at].start], tokens[:at])
	first, last := celPart(tokens, at)
	part := celText(p.Text, tokens[first:last+1])
	hover.Title = tokens[at].text
	if !tokens[at].isName() {
		hover.Title = part
	}
	inner.describe(&hover, tokens, at, first)
	if checked := inner.check(part); checked != nil {
		hover.Type = inner.celTypeName(checked.OutputType())
		if cost, ok := inner.cost(checked); ok && first != last {
			hover.Facts = append(hover.Facts, playground.Fact{Name: "cost", Text: fmt.Sprintf("at most %d each time", cost)})
		}
	} else if hover.Description == "" && hover.Type == "" {
		hover.Title = ""
	}
	return hover
}

// celPart is what a token is the end of: of a name, what is before its dot and,
// if it is a function, its arguments; of anything else, the innermost brackets
// around it or all.
func celPart(tokens []celToken, at int) (first, last int) {
	if tokens[at].isName() || celOpeners[tokens[at].text] != "" {
		first, last = min(celOperand(tokens, at+1), at), at
		if at+1 < len(tokens) && tokens[at+1].text == "(" && tokens[at].isName() {
			if closing := celClosing(tokens, at+1); closing > 0 {
				last = closing
			}
		}
		return first, last
	}
	if tokens[at].isText() || isWordByte(tokens[at].text[0]) {
		return at, at
	}
	return celAround(tokens, at)
}

// celAround is the argument, or the text between brackets, that a token is in.
func celAround(tokens []celToken, at int) (first, last int) {
	depth := 0
	for first = at; first > 0; first-- {
		text := tokens[first-1].text
		if celOpeners[text] != "" {
			depth++
		} else if text == "(" || text == "[" || text == "{" {
			if depth--; depth < 0 {
				break
			}
		} else if text == "," && depth == 0 {
			break
		}
	}
	depth = 0
	for last = at; last < len(tokens)-1; last++ {
		text := tokens[last+1].text
		if text == "(" || text == "[" || text == "{" {
			depth++
		} else if celOpeners[text] != "" {
			if depth--; depth < 0 {
				break
			}
		} else if text == "," && depth == 0 {
			break
		}
	}
	return first, last
}

// describe says what the schema or the library says of a name.
func (s *celScope) describe(hover *playground.Hover, tokens []celToken, at, first int) {
	name := tokens[at].text
	isMember := at > 0 && tokens[at-1].text == "."
	isCall := at+1 < len(tokens) && tokens[at+1].text == "("
	switch {
	case !tokens[at].isName():
	case isCall:
		s.describeCall(hover, name, celSource(tokens[first:max(at-1, first)]), isMember)
	case isMember:
		if of := s.typeOf(celSource(tokens[first : at-1])); of != nil {
			s.describeField(hover, of.TypeName(), name)
		}
	default:
		hover.Description = variableDescriptions[name]
	}
}

func (s *celScope) describeField(hover *playground.Hover, typeName, name string) {
	schema := s.schemaOf(typeName)
	property := schema.At(typePath(name))
	if schema.Schema == nil || property.Schema == nil {
		return
	}
	f := factList{facts: hover.Facts}
	hover.Description = property.Documentation()
	f.values(property)
	f.bounds(property)
	hover.Facts = f.facts
}

func (s *celScope) describeCall(hover *playground.Hover, name, operand string, isMember bool) {
	hover.Description = s.macroDescription(name)
	function := s.env.Functions()[name]
	of := s.typeOf(operand)
	if isMember && of == nil {
		function = s.env.Functions()[operand+"."+name]
	}
	if function == nil {
		return
	}
	if hover.Description == "" {
		hover.Description = functionDescription(function)
	}
	signatures, _ := s.signatures(function, func(overload *decls.OverloadDecl) bool {
		if of == nil {
			return !overload.IsMemberFunction()
		}
		return overload.IsMemberFunction() && takes(overload.ArgTypes()[0], of)
	})
	for _, signature := range signatures {
		hover.Facts = append(hover.Facts, playground.Fact{Name: "signature", Text: name + signature})
	}
}

// tokenRange is the place of a token in the text, which is in the line of the
// cursor.
func tokenRange(p *cursorContext, token celToken) playground.Range {
	back := position.Units(p.Text[token.start:min(len(p.Before), len(p.Text))])
	start := p.position
	start.Character = max(0, start.Character-back)
	end := start
	end.Character += position.Units(token.text)
	return playground.Range{Start: start, End: end}
}
