package celtoken

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// An Expression is a CEL expression outside a document.
type Expression struct{ index *yamltext.Index }

// NewExpression indexes a CEL expression.
func NewExpression(text string) Expression { return Expression{yamltext.NewIndex(text)} }

// Before returns the part of the expression before a position.
func (e Expression) Before(at playground.Position) string {
	return e.index.Text()[:e.index.Offset(at)]
}

// RangeAt returns the range of the token at a line and column, by the rules of
// [At]. If there is no token, it returns the whole expression.
func (e Expression) RangeAt(line, column int) playground.Range {
	if start, end, ok := At(e.index.Text(), line, column); ok {
		return e.index.Range(start, end)
	}
	return e.Value()
}

// Value returns the range of the whole expression.
func (e Expression) Value() playground.Range { return e.index.Range(0, len(e.index.Text())) }
