package yamltext

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// A BadCharacter error locates a character that YAML does not allow.
type BadCharacter struct {
	message string
	Offset  int
}

func (e *BadCharacter) Error() string { return e.message }

// CheckCharacters finds the first character that the YAML reader would reject.
// The reader reports no position for it.
func CheckCharacters(text string) *BadCharacter {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return &BadCharacter{"the input is not valid UTF-8", i}
		}
		if !printable(r) {
			return &BadCharacter{"control characters are not allowed", i}
		}
		i += size
	}
	return nil
}

// printable reports whether the YAML parser accepts a non-ASCII character.
func printable(r rune) bool {
	return r == 0x85 || r >= 0xA0 && r <= 0xFFFD || r >= 0x10000
}

// ParseYAML parses the first YAML document and returns its root, or nil if
// there is no document.
func ParseYAML(text string) (root *yaml.Node, failure *Failure) {
	lines := &lineReader{text: text}
	defer func() {
		if r := recover(); r != nil {
			root, failure = nil, newFailure(fmt.Sprint(r), lines.read)
		}
	}()
	var n yaml.Node
	err := yaml.NewDecoder(lines).Decode(&n)
	switch {
	case errors.Is(err, io.EOF), err == nil && len(n.Content) == 0:
		return nil, nil
	case err != nil:
		return nil, newFailure(err.Error(), lines.read)
	}
	return n.Content[0], nil
}

// A lineReader supplies a source line by line. The amount read when the parser
// fails then locates the error. The parser's own line numbers refer to the
// start of the enclosing construct, and are sometimes off by one.
type lineReader struct {
	text string
	read int
}

func (r *lineReader) Read(p []byte) (int, error) {
	if r.read == len(r.text) {
		return 0, io.EOF
	}
	part := r.text[r.read:min(r.read+len(p), len(r.text))]
	if n := strings.IndexByte(part, '\n'); n >= 0 {
		part = part[:n+1]
	}
	r.read += len(part)
	return copy(p, part), nil
}

// A Failure is an error of the YAML parser.
type Failure struct {
	// Message is the parser's message without the line number.
	Message string
	// original is the complete message, and line its line number or 0.
	original string
	line     int
	// read is the number of bytes that the parser had read, in whole lines.
	read int
}

var lineNumber = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

func newFailure(message string, read int) *Failure {
	f := &Failure{Message: message, original: message, read: read}
	if m := lineNumber.FindStringSubmatch(message); m != nil {
		f.Message = message[len(m[0]):]
		f.line, _ = strconv.Atoi(m[1])
	}
	return f
}

// Locate returns the extent of the error in the source that was parsed.
func (f *Failure) Locate(text string) (start, end int) {
	switch {
	case strings.HasPrefix(f.Message, "found unexpected end of stream"),
		strings.HasPrefix(f.Message, "did not find expected ',' or"):
		if open := unclosed(text); len(open) > 0 {
			return open[len(open)-1], open[len(open)-1] + 1
		}
	case strings.HasPrefix(f.Message, "could not find expected ':'") && f.line > 0:
		return lineContent(text, nthLine(text, f.line))
	case strings.HasPrefix(f.Message, "unknown anchor '"):
		name := strings.SplitN(f.Message, "'", 3)[1]
		if at := strings.LastIndex(text[:f.read], "*"+name); at >= 0 {
			return at, at + 1 + len(name)
		}
	}
	return lineContent(text, f.firstFailingLine(text))
}

// lookahead is the maximum number of lines that the parser reads beyond the
// failing line: it looks two tokens ahead.
const lookahead = 3

// firstFailingLine returns the offset of the line that causes the failure.
// Without this line and the rest of the source, the parser does not fail in the
// same way.
func (f *Failure) firstFailingLine(text string) int {
	line := contentLine(text, f.read)
	for range lookahead {
		_, earlier := ParseYAML(text[:line] + missingClosers(text[:line]))
		if earlier == nil || earlier.original != f.original {
			break
		}
		line = contentLine(text, line)
	}
	return line
}

// contentLine returns the offset of the last line before end that is neither
// blank nor a comment.
func contentLine(text string, end int) int {
	for end > 0 {
		start := strings.LastIndexByte(text[:end-1], '\n') + 1
		if line := strings.TrimSpace(text[start:end]); line != "" && line[0] != '#' {
			return start
		}
		end = start
	}
	return 0
}

// nthLine returns the offset of a YAML line. n is one-based.
func nthLine(text string, n int) int {
	at := 0
	for ; n > 1 && at < len(text); n-- {
		at = BreakAt(text, at)
		at += BreakWidth(text, at)
	}
	return at
}

// lineContent returns the extent of the line at start without the spaces around
// it. It keeps a leading tab, which may be the error.
func lineContent(text string, start int) (from, to int) {
	line := text[start:LineEnd(text, start)]
	from = start + len(line) - len(strings.TrimLeft(line, " "))
	return from, max(from, start+len(strings.TrimRight(line, " \t")))
}
