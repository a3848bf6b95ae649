package celtoken

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/position"
)

// Expression is a CEL expression that stands alone, in no document.
type Expression struct {
	value []rune
	index *position.Index
}

func NewExpression(text string) Expression { return Expression{[]rune(text), position.New(text)} }

// Before is what of the expression is before a position.
func (e Expression) Before(at playground.Position) string {
	return e.index.Text()[:e.index.Offset(at)]
}

// RangeAt is that of [At], in the expression.
func (e Expression) RangeAt(line, column int) playground.Range {
	if start, end, ok := At(e.value, line, column); ok {
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
	return e.index.Position(len(string(e.value[:offset])))
}
