package source

import (
	"encoding/json"
	"iter"
	"strings"
)

// A chunk is the part of a text that belongs to one document.
type chunk struct {
	start, end int
	// bad is what is wrong with the separator that begins the chunk, or empty.
	bad string
}

const (
	separator = "---"
	byteOrder = "\ufeff"
)

// split cuts a text into documents as kubectl does: at lines that begin with
// the separator, wherever they are, and between JSON objects that follow one
// another. Blank chunks are left out. Directives go with the document that
// follows them.
func split(text string) []chunk {
	var chunks []chunk
	directives := -1
	for c := range sections(text) {
		if directives >= 0 && c.bad == "" {
			c.start = directives
		}
		directives = -1
		if c.end < len(text) && onlyDirectives(text[c.start:c.end]) {
			directives = c.start
			continue
		}
		chunks = append(chunks, splitJSON(text, c)...)
	}
	return chunks
}

// sections yields what stands between the separators. A separator that more
// than a comment follows begins a section that includes it.
func sections(text string) iter.Seq[chunk] {
	return func(yield func(chunk) bool) {
		c := trimByteOrderMark(text, chunk{end: len(text)})
		from := c.start
		for {
			c.end = nextSeparator(text, from)
			if !yield(c) || c.end == len(text) {
				return
			}
			c.start = c.end
			from, c.bad = afterSeparator(text, c.end)
			if c.bad == "" {
				c.start = from
			}
		}
	}
}

// nextSeparator is the offset of the first separator line at or after start,
// which is the beginning of a line, or the text's length.
func nextSeparator(text string, start int) int {
	for !strings.HasPrefix(text[start:], separator) {
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
	rest := strings.TrimSpace(line[len(separator):])
	if rest != "" && rest[0] != '#' {
		return next, rest
	}
	return next, ""
}

func onlyDirectives(text string) bool {
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

// splitJSON cuts a chunk at the ends of JSON objects if it consists of several.
func splitJSON(text string, c chunk) []chunk {
	c = trimByteOrderMark(text, c)
	if strings.TrimSpace(text[c.start:c.end]) == "" {
		return nil
	}
	var chunks []chunk
	for looksLikeJSON(text[c.start:c.end]) {
		n := jsonObjectLength(text[c.start:c.end])
		if n == 0 || !looksLikeJSON(text[c.start+n:c.end]) {
			break
		}
		chunks = append(chunks, chunk{start: c.start, end: c.start + n})
		c.start += n
		rest := text[c.start:c.end]
		c.start += len(rest) - len(strings.TrimLeft(rest, " \t\r\n"))
	}
	return append(chunks, c)
}

func trimByteOrderMark(text string, c chunk) chunk {
	if strings.HasPrefix(text[c.start:c.end], byteOrder) {
		c.start += len(byteOrder)
	}
	return c
}

func looksLikeJSON(text string) bool {
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
