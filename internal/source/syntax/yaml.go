package syntax

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source/lex"
	"github.com/crdlab/crdlab/internal/source/nesting"
)

// A BadCharacter is one that YAML does not allow in a text.
type BadCharacter struct {
	message string
	Offset  int
}

func (e *BadCharacter) Error() string { return e.message }

// CheckCharacters finds what the YAML parser's reader would refuse, which it reports
// without a place.
func CheckCharacters(text string) *BadCharacter {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return &BadCharacter{"the text is not valid UTF-8", i}
		}
		if !printable(r) {
			return &BadCharacter{"control characters are not allowed", i}
		}
		i += size
	}
	return nil
}

// printable is the YAML parser's own rule for characters beyond ASCII's.
func printable(r rune) bool {
	return r == 0x85 || r >= 0xA0 && r <= 0xFFFD || r >= 0x10000
}

// ParseYAML is the root of the first YAML document in text, nil if there is
// none.
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

// A lineReader hands out a text line by line, so that what was read when the
// parser fails tells where it fails. The parser's own line numbers are those
// of a context that may begin far above, and are off by one at times.
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
	// Message is the parser's without what it says about the line.
	Message string
	// original is the message with it, line what it says, or 0.
	original string
	line     int
	// read is how much of the text the parser had read, by lines.
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

// Locate is where in text, the same as was parsed, the mistake is.
func (f *Failure) Locate(text string) (start, end int) {
	switch {
	case strings.HasPrefix(f.Message, "found unexpected end of stream"),
		strings.HasPrefix(f.Message, "did not find expected ',' or"):
		if open := nesting.Unclosed(text); len(open) > 0 {
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

// lookahead bounds how many lines the parser may have read beyond the one that
// it fails at: it looks two tokens ahead.
const lookahead = 3

// firstFailingLine is the offset of the line that makes the parser fail: without
// it, and all that follows, the parser does not fail in that way.
func (f *Failure) firstFailingLine(text string) int {
	line := contentLine(text, f.read)
	for range lookahead {
		_, earlier := ParseYAML(text[:line] + nesting.MissingClosers(text[:line]))
		if earlier == nil || earlier.original != f.original {
			break
		}
		line = contentLine(text, line)
	}
	return line
}

// contentLine is the offset of the last line before end that is neither blank
// nor a comment.
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

// nthLine is the offset of the YAML line n, which counts from 1.
func nthLine(text string, n int) int {
	at := 0
	for ; n > 1 && at < len(text); n-- {
		at = lex.BreakAt(text, at)
		at += lex.BreakWidth(text, at)
	}
	return at
}

// lineContent is the line at start without spaces around it. A tab that it
// begins with is left in, since that may be the mistake.
func lineContent(text string, start int) (from, to int) {
	line := text[start:lex.LineEnd(text, start)]
	from = start + len(line) - len(strings.TrimLeft(line, " "))
	return from, max(from, start+len(strings.TrimRight(line, " \t")))
}
