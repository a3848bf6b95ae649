package source

import (
	"regexp"
	"strconv"
	"unicode/utf8"
)

// A badCharacter is one that YAML does not allow in a text.
type badCharacter struct {
	message string
	offset  int
}

func (e *badCharacter) Error() string { return e.message }

// checkText finds what the YAML parser's reader would refuse, which it reports
// without a place.
func checkText(text string) *badCharacter {
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c < 0x7F || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size <= 1 {
			return &badCharacter{"the text is not valid UTF-8", i}
		}
		if !printable(r) {
			return &badCharacter{"control characters are not allowed", i}
		}
		i += size
	}
	return nil
}

// printable is the YAML parser's own rule for characters beyond ASCII's.
func printable(r rune) bool {
	return r == 0x85 || r >= 0xA0 && r <= 0xFFFD || r >= 0x10000
}

var lineNumber = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// locate turns an error of the YAML parser into one with a place.
func (d *Document) locate(err error) *SyntaxError {
	message := err.Error()
	m := lineNumber.FindStringSubmatch(message)
	line := 1
	if m != nil {
		message = message[len(m[0]):]
		if n, err := strconv.Atoi(m[1]); err == nil {
			line = n
		}
	}
	return &SyntaxError{Message: message, Range: d.Line(line)}
}
