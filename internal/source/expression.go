package source

import (
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// Expression is a CEL expression that stands alone, in no document.
type Expression struct{ value []rune }

func NewExpression(text string) Expression { return Expression{[]rune(text)} }

// RangeAt is that of [Text.RangeAt], in the expression.
func (e Expression) RangeAt(line, column int) playground.Range {
	if start, end, ok := celTokenAt(e.value, line, column); ok {
		return playground.Range{Start: e.position(start), End: e.position(end)}
	}
	return e.Value()
}

// Value is the whole expression.
func (e Expression) Value() playground.Range {
	return playground.Range{End: e.position(len(e.value))}
}

// position is where the code point at an offset stands.
func (e Expression) position(offset int) playground.Position {
	before := string(e.value[:offset])
	line := before[strings.LastIndexByte(before, '\n')+1:]
	position := playground.Position{Line: strings.Count(before, "\n")}
	for _, r := range line {
		position.Character++
		if r > 0xFFFF {
			position.Character++
		}
	}
	return position
}
