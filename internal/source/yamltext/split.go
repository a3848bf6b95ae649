package yamltext

import (
	"encoding/json"
	"iter"
	"strings"
)

// A Chunk is the part of a source that belongs to one document.
type Chunk struct {
	Start, End int
	// Bad is the unexpected content after the separator of the chunk, or empty.
	Bad string
}

// Split splits a source into documents like kubectl: at every line that begins
// with the separator, and between consecutive JSON objects. It drops blank
// chunks and attaches directives to the following document.
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

// sections yields the parts between separators. If a separator has content
// other than a comment after it, the following section includes the separator.
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

// nextSeparator returns the offset of the first separator line at or after
// start, or the length of the source. start is the start of a line.
func nextSeparator(text string, start int) int {
	for !strings.HasPrefix(text[start:], Separator) {
		n := strings.IndexByte(text[start:], '\n')
		if n < 0 {
			return len(text)
		}
		start += n + 1
	}
	return start
}

// afterSeparator returns the offset of the line after the separator at i, and
// the content after the separator unless it is blank or a comment.
func afterSeparator(text string, i int) (next int, bad string) {
	line, _, found := strings.Cut(text[i:], "\n")
	next = i + len(line)
	if found {
		next++
	}
	rest := strings.TrimSpace(line[len(Separator):])
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

// splitJSON splits a chunk into its JSON objects.
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
	if strings.HasPrefix(text[c.Start:c.End], ByteOrderMark) {
		c.Start += len(ByteOrderMark)
	}
	return c
}

// LooksLikeJSON reports whether the first character after blanks is a brace.
func LooksLikeJSON(text string) bool {
	return strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "{")
}

// jsonObjectLength returns the length of the JSON value at the start of the
// source, including blanks before it. It returns 0 if there is no valid value.
func jsonObjectLength(text string) int {
	d := json.NewDecoder(strings.NewReader(text))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return 0
	}
	return int(d.InputOffset())
}
