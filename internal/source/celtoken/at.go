package celtoken

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"
)

// At returns the start and end in bytes of the CEL token at a line and column that the
// CEL compiler reports. Both are one-based, and the column counts code points. For a
// field selection, the compiler reports the dot; for a call, the parenthesis. At returns
// the name in both cases. In blank space, such as an unexpected end, it returns the
// string literal around it or the previous token. ok is false if there is no such
// position or token.
func At(expression string, line, column int) (start, end int, ok bool) {
	offset, ok := Offset(expression, line, column)
	if !ok {
		return 0, 0, false
	}
	tokens, _ := Tokenize(expression)
	next := sort.Search(len(tokens), func(i int) bool { return tokens[i].End > offset })
	if offset < len(expression) && !isSpace(expression[offset]) {
		if expression[offset] == '(' && next > 0 && tokens[next-1].End == offset && tokens[next-1].IsWord() {
			return tokens[next-1].Start, offset, true
		}
		start, end = tokenAt(expression, offset)
		return start, end, true
	}
	if next < len(tokens) && tokens[next].Start < offset {
		return tokens[next].Start, tokens[next].End, true
	}
	if next == 0 {
		return 0, 0, false
	}
	start, end = tokens[next-1].Start, tokens[next-1].End
	if start > 0 && isOperator(expression[start-1:end]) {
		start--
	}
	return start, end, true
}

// Offset converts a line and a column that the CEL compiler reports to an offset in bytes. ok is
// false if there is no such position; the end of the expression is one.
func Offset(expression string, line, column int) (offset int, ok bool) {
	for ; line > 1; line-- {
		n := strings.IndexByte(expression[offset:], '\n')
		if n < 0 {
			return 0, false
		}
		offset += n + 1
	}
	for ; column > 1 && offset < len(expression); column-- {
		_, size := utf8.DecodeRuneInString(expression[offset:])
		offset += size
	}
	return offset, line == 1 && column == 1
}

// tokenAt returns the start and end of the name after a dot at an offset, or of the
// operator or other token that begins there.
func tokenAt(expression string, offset int) (start, end int) {
	if expression[offset] == '.' {
		if end = wordEnd(expression, offset+1); end > offset+1 {
			return offset + 1, end
		}
	}
	if offset+2 <= len(expression) && isOperator(expression[offset:offset+2]) {
		return offset, offset + 2
	}
	end, isOpen := tokenEnd(expression, offset)
	if isOpen {
		return offset, offset + 1
	}
	return offset, end
}

// isOperator reports whether text is an operator of two characters.
func isOperator(text string) bool {
	return slices.Contains([]string{"==", "!=", "<=", ">=", "&&", "||"}, text)
}
