package assist

import (
	"errors"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// format responds to a formatting request: it writes the documents in block style. If a
// document cannot be parsed or would change its meaning, the response has a problem
// instead.
func format(document string) *playground.FormatResult {
	formatted, err := edit.Format(document, finding.CRDText)
	var syntax *source.SyntaxError
	var limit *source.LimitError
	switch {
	case errors.As(err, &syntax):
		return &playground.FormatResult{Problem: syntax.Message, Range: syntax.Range}
	case errors.As(err, &limit):
		return &playground.FormatResult{Problem: limit.Error(), Range: limit.Range}
	case err != nil:
		return &playground.FormatResult{Problem: err.Error()}
	}
	return &playground.FormatResult{Text: formatted}
}
