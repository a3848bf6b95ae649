package celtoken

import (
	"slices"
	"strings"
)

// At returns the start and end of the CEL token at a line and column that the
// CEL compiler reports. Both are one-based, and the column counts code points.
// For a field selection, the compiler reports the dot; for a call, the
// parenthesis. At returns the name in both cases. In blank space, such as an
// unexpected end, it returns the previous token. ok is false if the position
// does not exist.
func At(value []rune, line, column int) (start, end int, ok bool) {
	offset, ok := runeOffset(value, line, column)
	if !ok {
		return 0, 0, false
	}
	if offset < len(value) && !isSpace(value[offset]) {
		start, end = tokenAt(value, offset)
		return start, end, true
	}
	for offset > 0 && isSpace(value[offset-1]) {
		offset--
	}
	if offset == 0 {
		return 0, 0, false
	}
	start, end = tokenBefore(value, offset)
	return start, end, true
}

// runeOffset converts a line and a column to an offset in code points.
func runeOffset(value []rune, line, column int) (offset int, ok bool) {
	for ; line > 1; line-- {
		n := slices.Index(value[offset:], '\n')
		if n < 0 {
			return 0, false
		}
		offset += n + 1
	}
	offset += column - 1
	return offset, line == 1 && column >= 1 && offset <= len(value)
}

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// operators lists the CEL operators of two characters.
var operators = []string{"==", "!=", "<=", ">=", "&&", "||"}

// tokenAt returns the start and end of the CEL token at an offset.
func tokenAt(value []rune, offset int) (start, end int) {
	switch {
	case value[offset] == '.' && wordEnd(value, offset+1) > offset+1:
		return offset + 1, wordEnd(value, offset+1)
	case value[offset] == '(' && wordStart(value, offset) < offset:
		return wordStart(value, offset), offset
	case isWordRune(value[offset]):
		return offset, wordEnd(value, offset)
	case offset+2 <= len(value) && slices.Contains(operators, string(value[offset:offset+2])):
		return offset, offset + 2
	}
	return offset, max(offset+1, stringEnd(value, offset))
}

// tokenBefore returns the start and end of the CEL token before an offset.
func tokenBefore(value []rune, offset int) (start, end int) {
	start = wordStart(value, offset)
	switch {
	case start < offset:
		return start, offset
	case offset >= 2 && slices.Contains(operators, string(value[offset-2:offset])):
		return offset - 2, offset
	}
	return offset - 1, offset
}

func wordStart(value []rune, end int) int {
	for end > 0 && isWordRune(value[end-1]) {
		end--
	}
	return end
}

func wordEnd(value []rune, start int) int {
	for start < len(value) && isWordRune(value[start]) {
		start++
	}
	return start
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || r == '_'
}

// stringEnd returns the end of the string literal at an offset, or 0.
func stringEnd(value []rune, offset int) int {
	quote := value[offset]
	if !strings.ContainsRune(`"'`, quote) {
		return 0
	}
	for i := offset + 1; i < len(value) && value[i] != '\n'; i++ {
		switch value[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		}
	}
	return 0
}
