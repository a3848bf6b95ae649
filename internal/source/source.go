// Package source maps what Kubernetes says about a YAML or JSON text back to
// places in the text: a field path to the key and value that it names, a
// column within a CEL expression to the characters of the quoted, folded or
// literal scalar that holds it, a decoder's message to a line.
//
// Every range refers to the text as given to [Parse] and counts as the
// Language Server Protocol does; lines break at \n, \r\n and \r, as in an
// editor. What Parse returns is not changed afterwards, so that several
// goroutines may use it.
package source

import (
	"fmt"

	"github.com/crdlab/crdlab/internal/playground"
)

// Limits bound what [Parse] accepts. They are checked before the YAML parser
// sees the text, so that neither its stack nor its memory can be exhausted. A
// field that is zero stands for that of [DefaultLimits].
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

// DefaultLimits leave room for the largest CRDs in use.
var DefaultLimits = Limits{
	MaxBytes:     4 << 20,
	MaxDocuments: 100,
	MaxDepth:     200,
	MaxNodes:     500_000,
	MaxAliases:   1_000,
}

func (l Limits) orDefault() Limits {
	fill := func(field *int, value int) {
		if *field == 0 {
			*field = value
		}
	}
	fill(&l.MaxBytes, DefaultLimits.MaxBytes)
	fill(&l.MaxDocuments, DefaultLimits.MaxDocuments)
	fill(&l.MaxDepth, DefaultLimits.MaxDepth)
	fill(&l.MaxNodes, DefaultLimits.MaxNodes)
	fill(&l.MaxAliases, DefaultLimits.MaxAliases)
	return l
}

// The names of the limits, as in [LimitError.Limit].
const (
	LimitBytes     = "bytes"
	LimitDocuments = "documents"
	LimitDepth     = "depth"
	LimitNodes     = "nodes"
	LimitAliases   = "aliases"
)

// A LimitError says that a text exceeds one of the [Limits].
type LimitError struct {
	// Limit is one of the Limit… constants.
	Limit string
	// Max is the value of the limit.
	Max int
	// Actual is what the text has, or 0 if it was not counted to the end.
	Actual int
	// Range is the place at which the limit is passed.
	Range playground.Range
}

var limitPhrases = map[string]string{
	LimitBytes:     "the text is longer than %d bytes",
	LimitDocuments: "the text has more than %d documents",
	LimitDepth:     "mappings and sequences are nested more than %d levels deep",
	LimitNodes:     "the text has more than %d YAML nodes",
	LimitAliases:   "the text has more than %d YAML aliases",
}

func (e *LimitError) Error() string {
	message := fmt.Sprintf(limitPhrases[e.Limit], e.Max)
	if e.Actual > 0 {
		message += fmt.Sprintf(": %d", e.Actual)
	}
	return message
}

// A SyntaxError says that a document is neither YAML nor JSON.
type SyntaxError struct {
	// Message is the parser's, without a line number.
	Message string
	// Range is the place of the mistake, as far as the parser knows it.
	Range playground.Range
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Range.Start.Line+1, e.Message)
}

// A File is a text and the documents in it.
type File struct {
	// Documents are those that are not blank, in order. A document that only
	// holds comments counts.
	Documents []*Document

	index *index
}

// Parse splits a text into its documents and parses each. It never panics.
//
// The error is the first among those of the documents (see [Document.Err]), or
// a *LimitError for the text as a whole. The file is never nil: documents that
// have no error can be used even if others have one.
func Parse(text string, limits Limits) (*File, error) {
	limits = limits.orDefault()
	if len(text) > limits.MaxBytes {
		return tooLong(text, limits.MaxBytes)
	}
	file := &File{index: newIndex(text)}
	budget := &budget{limits: limits}
	for _, chunk := range split(text) {
		if len(file.Documents) == limits.MaxDocuments {
			at := file.index.span(chunk.start, lineEnd(text, chunk.start))
			return file, &LimitError{Limit: LimitDocuments, Max: limits.MaxDocuments, Range: at}
		}
		file.Documents = append(file.Documents, parseDocument(file.index, chunk, budget))
	}
	for _, d := range file.Documents {
		if d.Err != nil {
			return file, d.Err
		}
	}
	return file, nil
}

func tooLong(text string, limit int) (*File, error) {
	file := &File{index: newIndex(text[:limit])}
	at := file.index.position(limit)
	return file, &LimitError{
		Limit: LimitBytes, Max: limit, Actual: len(text),
		Range: playground.Range{Start: at, End: at},
	}
}
