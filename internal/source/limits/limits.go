package limits

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// Limits bounds the input of the parser. The limits are checked before the YAML
// parser runs, so that no input exhausts its stack or memory. A zero field
// selects the value of [Default].
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

// Default leaves room for the largest CRDs in use.
var Default = Limits{
	MaxBytes:     4 << 20,
	MaxDocuments: 100,
	MaxDepth:     200,
	MaxNodes:     500_000,
	MaxAliases:   1_000,
}

// OrDefault replaces zero fields with the values of [Default].
func (l Limits) OrDefault() Limits {
	fill := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&l.MaxBytes, Default.MaxBytes)
	fill(&l.MaxDocuments, Default.MaxDocuments)
	fill(&l.MaxDepth, Default.MaxDepth)
	fill(&l.MaxNodes, Default.MaxNodes)
	fill(&l.MaxAliases, Default.MaxAliases)
	return l
}

// Names of the limits, the values of [Error.Limit].
const (
	Bytes     = "bytes"
	Documents = "documents"
	Depth     = "depth"
	Nodes     = "nodes"
	Aliases   = "aliases"
)

// An Error reports an exceeded limit.
type Error struct {
	// Limit is the name of the limit.
	Limit string
	// Max is the value of the limit.
	Max int
	// Actual is the size of the source, or 0 if counting stopped at the limit.
	Actual int
	// Range is the position of the first excess.
	Range playground.Range
}

var phrases = map[string]string{
	Bytes:     "the input is longer than %d bytes",
	Documents: "the input has more than %d documents",
	Depth:     "mappings and sequences are nested more than %d levels deep",
	Nodes:     "the input has more than %d YAML nodes",
	Aliases:   "the input has more than %d YAML aliases",
}

func (e *Error) Error() string {
	message := fmt.Sprintf(phrases[e.Limit], e.Max)
	if e.Actual > 0 {
		message += fmt.Sprintf(": %d", e.Actual)
	}
	return message
}
