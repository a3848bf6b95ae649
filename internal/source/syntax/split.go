package syntax

import (
	"encoding/json"
	"iter"
	"strings"

	"github.com/crdlab/crdlab/internal/source/lex"
)

// A Chunk is the part of a text that belongs to one document.
type Chunk struct {
	Start, End int
	// Bad is what is wrong with the separator that begins the Chunk, or empty.
	Bad string
}

const byteOrderMark = "\ufeff"

// Split cuts a text into documents as kubectl does: at lines that begin with
// the separator, wherever they are, and between JSON objects that follow one
// another. Blank chunks are left out. Directives go with the document that
// follows them.
func Split(text string) []Chunk {
	var chunks []Chunk
	directives := -1
	for c := range sections(text) {
		if directives >= 0 && c.Bad == "" {
			c.Start = directives
		}
		directives = -1
		if c.End < len(text) && hasOnlyDirectives(text[c.Start:c.End]) {
			directives = c.Start
			continue
		}
		chunks = append(chunks, splitJSON(text, c)...)
	}
	return chunks
}

// sections yields what stands between the separators. A separator that more
// than a comment follows begins a section that includes it.
func sections(text string) iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		c := trimByteOrderMark(text, Chunk{End: len(text)})
		from := c.Start
		for {
			c.End = nextSeparator(text, from)
			if !yield(c) || c.End == len(text) {
				return
			}
			c.Start = c.End
			from, c.Bad = afterSeparator(text, c.End)
			if c.Bad == "" {
				c.Start = from
			}
		}
	}
}

// nextSeparator is the offset of the first separator line at or after start,
// which is the beginning of a line, or the text's length.
func nextSeparator(text string, start int) int {
	for !strings.HasPrefix(text[start:], lex.Separator) {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			return len(text)
		}
		start += n + 1
	}
	return start
}

// afterSeparator is the offset of the line after the separator at i, and what
// follows the separator if that is neither blank nor a comment.
func afterSeparator(text string, i int) (next int, bad string) {
	line, _, found := strings.Cut(text[i:], "\n")
	next = i + len(line)
	if found {
		next++
	}
	rest := strings.TrimSpace(line[len(lex.Separator):])
	if rest != "" && rest[0] != '#' {
		return next, rest
	}
	return next, ""
}

func hasOnlyDirectives(text string) bool {
	seen := false
	for line := range strings.Lines(text) {
		switch {
		case line[0] == '%':
			seen = true
		case strings.TrimSpace(line) == "", strings.TrimSpace(line)[0] == '#':
		default:
			return false
		}
	}
	return seen
}

// splitJSON cuts a Chunk at the ends of JSON objects if it consists of several.
func splitJSON(text string, c Chunk) []Chunk {
	c = trimByteOrderMark(text, c)
	if strings.TrimSpace(text[c.Start:c.End]) == "" {
		return nil
	}
	var chunks []Chunk
	for LooksLikeJSON(text[c.Start:c.End]) {
		n := jsonObjectLength(text[c.Start:c.End])
		if n == 0 || !LooksLikeJSON(text[c.Start+n:c.End]) {
			break
		}
		chunks = append(chunks, Chunk{Start: c.Start, End: c.Start + n})
		c.Start += n
		rest := text[c.Start:c.End]
		c.Start += len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	}
	return append(chunks, c)
}

func trimByteOrderMark(text string, c Chunk) Chunk {
	if strings.HasPrefix(text[c.Start:c.End], byteOrderMark) {
		c.Start += len(byteOrderMark)
	}
	return c
}

func LooksLikeJSON(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
}

// jsonObjectLength is the length of the JSON value that text begins with,
// blanks before it included, or 0.
func jsonObjectLength(text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return 0
	}
	return int(d.InputOffset())
}
