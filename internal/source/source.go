package source

import (
	"fmt"
	"slices"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// A SyntaxError reports a document that is neither YAML nor JSON.
type SyntaxError struct {
	// Message is the message of the parser, without a line number.
	Message string
	// Range is the position of the error, as precise as the parser's message.
	Range playground.Range
	// Unread reports that the API server reads the document before Range, and ignores the rest.
	Unread bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d: %s", e.Range.Start.Line+1, e.Message)
}

// A File holds the documents of a source.
type File struct {
	// Documents holds all documents that are not blank, in order. It includes
	// documents that consist of comments.
	Documents []*Document

	index *yamltext.Index
}

// NonEmpty returns the documents that are not empty, including those with syntax errors.
func (f *File) NonEmpty() []*Document {
	return slices.DeleteFunc(slices.Clone(f.Documents), (*Document).Empty)
}

// Parse splits a source into documents and parses each of them. It never
// panics.
//
// The error is the first [Document.Err], or a *LimitError for the whole
// source. The file is never nil. Documents without an error are usable even if
// others have one.
func Parse(text string, bounds Limits) (*File, error) {
	bounds = bounds.orDefault()
	if len(text) > bounds.MaxBytes {
		return rejectLongText(text, bounds.MaxBytes)
	}
	return parse(yamltext.NewIndex(text), bounds)
}

// parse parses an indexed text.
func parse(index *yamltext.Index, bounds Limits) (*File, error) {
	file, text := &File{index: index}, index.Text()
	budget := &yamltext.Budget{MaxDepth: bounds.MaxDepth, MaxNodes: bounds.MaxNodes, MaxAliases: bounds.MaxAliases}
	for _, chunk := range yamltext.Split(text) {
		if len(file.Documents) == bounds.MaxDocuments {
			at := file.index.Range(chunk.Start, yamltext.LineEnd(text, chunk.Start))
			return file, &LimitError{Limit: documentsLimit, Max: bounds.MaxDocuments, Range: at}
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
	file := &File{index: yamltext.NewIndex(text[:limit])}
	at := file.index.Position(limit)
	return file, &LimitError{
		Limit: bytesLimit, Max: limit, Actual: len(text),
		Range: playground.Range{Start: at, End: at},
	}
}
