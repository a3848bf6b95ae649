package source

import (
	"cmp"
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// Limits bounds the input of the parser. The limits are checked before the YAML
// parser runs, so that no input exhausts its stack or memory. A zero field
// selects the value of [DefaultLimits].
type Limits struct {
	// MaxBytes is the size of the whole source in bytes.
	MaxBytes int
	// MaxDocuments is the number of documents, without blank ones.
	MaxDocuments int
	// MaxDepth is the nesting depth of mappings and sequences in a document.
	MaxDepth int
	// MaxNodes is the number of scalars, mappings, sequences and aliases in all
	// documents.
	MaxNodes int
	// MaxAliases is the number of aliases in all documents.
	MaxAliases int
}

// DefaultLimits leaves room for the largest CRDs in use.
var DefaultLimits = Limits{
	MaxBytes:     4 << 20,
	MaxDocuments: 100,
	MaxDepth:     200,
	MaxNodes:     500_000,
	MaxAliases:   1_000,
}

// orDefault replaces zero fields with the values of [DefaultLimits].
func (l Limits) orDefault() Limits {
	l.MaxBytes = cmp.Or(l.MaxBytes, DefaultLimits.MaxBytes)
	l.MaxDocuments = cmp.Or(l.MaxDocuments, DefaultLimits.MaxDocuments)
	l.MaxDepth = cmp.Or(l.MaxDepth, DefaultLimits.MaxDepth)
	l.MaxNodes = cmp.Or(l.MaxNodes, DefaultLimits.MaxNodes)
	l.MaxAliases = cmp.Or(l.MaxAliases, DefaultLimits.MaxAliases)
	return l
}

const (
	bytesLimit     = "bytes"
	documentsLimit = "documents"
)

// A LimitError reports an exceeded limit.
type LimitError struct {
	// Limit is the name of the limit: bytes, documents, depth, nodes or aliases.
	Limit string
	// Max is the value of the limit.
	Max int
	// Actual is the size of the source, or 0 if counting stopped at the limit.
	Actual int
	// Range is the position of the first excess.
	Range playground.Range
}

var phrases = map[string]string{
	bytesLimit:       "the input is longer than %d bytes",
	documentsLimit:   "the input has more than %d documents",
	yamltext.Depth:   "mappings and sequences are nested more than %d levels deep",
	yamltext.Nodes:   "the input has more than %d YAML nodes",
	yamltext.Aliases: "the input has more than %d YAML aliases",
}

func (e *LimitError) Error() string {
	message := fmt.Sprintf(phrases[e.Limit], e.Max)
	if e.Actual > 0 {
		message += fmt.Sprintf(": %d", e.Actual)
	}
	return message
}
