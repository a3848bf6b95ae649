package celtoken

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// An Expression is a CEL expression outside a document.
type Expression struct {
	value []rune
	index *yamltext.Index
}

// NewExpression indexes a CEL expression.
func NewExpression(text string) Expression { return Expression{[]rune(text), yamltext.NewIndex(text)} }

// Before returns the part of the expression before a position.
func (e Expression) Before(at playground.Position) string {
	return e.index.Text()[:e.index.Offset(at)]
}

// RangeAt returns the range of the token at a line and column, by the rules of
// [At]. If there is no token, it returns the whole expression.
func (e Expression) RangeAt(line, column int) playground.Range {
	if start, end, ok := At(e.value, line, column); ok {
		return playground.Range{Start: e.position(start), End: e.position(end)}
	}
	return e.Value()
}

// Value returns the range of the whole expression.
func (e Expression) Value() playground.Range {
	return playground.Range{End: e.position(len(e.value))}
}

// position converts an offset in code points to a position.
func (e Expression) position(offset int) playground.Position {
	return e.index.Position(len(string(e.value[:offset])))
}
