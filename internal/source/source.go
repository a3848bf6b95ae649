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
	"github.com/crdlab/crdlab/internal/source/lex"
	"github.com/crdlab/crdlab/internal/source/limits"
	"github.com/crdlab/crdlab/internal/source/position"
	"github.com/crdlab/crdlab/internal/source/syntax"
)

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

	index *position.Index
}

// Parse splits a text into its documents and parses each. It never panics.
//
// The error is the first among those of the documents (see [Document.Err]), or
// a *limits.Error for the text as a whole. The file is never nil: documents that
// have no error can be used even if others have one.
func Parse(text string, bounds limits.Limits) (*File, error) {
	bounds = bounds.OrDefault()
	if len(text) > bounds.MaxBytes {
		return rejectLongText(text, bounds.MaxBytes)
	}
	file := &File{index: position.New(text)}
	budget := limits.NewBudget(bounds)
	for _, chunk := range syntax.Split(text) {
		if len(file.Documents) == bounds.MaxDocuments {
			at := file.index.Range(chunk.Start, lex.LineEnd(text, chunk.Start))
			return file, &limits.Error{Limit: limits.Documents, Max: bounds.MaxDocuments, Range: at}
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

func rejectLongText(text string, limit int) (*File, error) {
	file := &File{index: position.New(text[:limit])}
	at := file.index.Position(limit)
	return file, &limits.Error{
		Limit: limits.Bytes, Max: limit, Actual: len(text),
		Range: playground.Range{Start: at, End: at},
	}
}
