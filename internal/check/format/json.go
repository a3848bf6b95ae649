package format

import (
	"encoding/json"
	"io"

	"github.com/crdlab/crdlab/internal/check"
)

func writeJSON(w io.Writer, r *check.Result, _ Options) error { return encode(w, r) }

// encode writes indented JSON without escapes for HTML.
func encode(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
