package limits

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// Limits bound what [Parse] accepts. They are checked before the YAML parser
// sees the text, so that neither its stack nor its memory can be exhausted. A
// field that is zero stands for that of [Default].
type Limits struct {
	// MaxBytes is the size of the whole text.
	MaxBytes int
	// MaxDocuments is the number of documents that are not blank.
	MaxDocuments int
	// MaxDepth is how deep mappings and sequences may nest in a document.
	MaxDepth int
	// MaxNodes is the number of scalars, mappings, sequences and aliases in
	// all documents.
	MaxNodes int
	// MaxAliases is the number of aliases in all documents.
	MaxAliases int
}

// Default leave room for the largest CRDs in use.
var Default = Limits{
	MaxBytes:     4 << 20,
	MaxDocuments: 100,
	MaxDepth:     200,
	MaxNodes:     500_000,
	MaxAliases:   1_000,
}

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

// The names of the limits, as in [Error.Limit].
const (
	Bytes     = "bytes"
	Documents = "documents"
	Depth     = "depth"
	Nodes     = "nodes"
	Aliases   = "aliases"
)

// A Error says that a text exceeds one of the [Limits].
type Error struct {
	// Limit is one of the Limit… constants.
	Limit string
	// Max is the value of the limit.
	Max int
	// Actual is what the text has, or 0 if it was not counted to the end.
	Actual int
	// Range is the place at which the limit is passed.
	Range playground.Range
}

var phrases = map[string]string{
	Bytes:     "the text is longer than %d bytes",
	Documents: "the text has more than %d documents",
	Depth:     "mappings and sequences are nested more than %d levels deep",
	Nodes:     "the text has more than %d YAML nodes",
	Aliases:   "the text has more than %d YAML aliases",
}

func (e *Error) Error() string {
	message := fmt.Sprintf(phrases[e.Limit], e.Max)
	if e.Actual > 0 {
		message += fmt.Sprintf(": %d", e.Actual)
	}
	return message
}
