package assist

import (
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/celtoken"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// An expression is a CEL expression outside a document.
type expression struct{ index *yamltext.Index }

func newExpression(text string) expression { return expression{yamltext.NewIndex(text)} }

// Before returns the part of the expression before a position.
func (e expression) Before(at playground.Position) string {
	return e.index.Text()[:e.index.Offset(at)]
}

// RangeAt returns the range of the token at a line and column, by the rules of
// [celtoken.At]. If there is no token, it returns the whole expression.
func (e expression) RangeAt(line, column int) playground.Range {
	if start, end, ok := celtoken.At(e.index.Text(), line, column); ok {
		return e.index.Range(start, end)
	}
	return e.Value()
}

// Value returns the range of the whole expression.
func (e expression) Value() playground.Range { return e.index.Range(0, len(e.index.Text())) }
