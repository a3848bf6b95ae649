package assist

import (
	"errors"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/formatting"
	"github.com/crdlab/crdlab/internal/source/limits"
)

// format writes the documents of a text in block style. A text that cannot be
// read, or that would not mean the same any more, is left as it is.
func format(text string) *playground.Formatted {
	formatted, err := formatting.YAML(text, finding.CRDText)
	var syntax *source.SyntaxError
	var limit *limits.Error
	switch {
	case errors.As(err, &syntax):
		return &playground.Formatted{Problem: syntax.Message, Range: syntax.Range}
	case errors.As(err, &limit):
		return &playground.Formatted{Problem: limit.Error(), Range: limit.Range}
	case err != nil:
		return &playground.Formatted{Problem: err.Error()}
	}
	return &playground.Formatted{Text: formatted}
}
