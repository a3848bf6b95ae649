package celtoken

import (
	"strings"
	"unicode/utf8"
)

// A Token is a token of an expression that may be incomplete: a name, a number, a string
// literal with quotes, or one character of an operator or bracket.
type Token struct {
	Text string
	// Start and End are offsets in bytes.
	Start, End int
}

// IsWord reports whether the token is a name or a number.
func (t Token) IsWord() bool { return isWordByte(t.Text[0]) }

// IsName reports whether the token is a name.
func (t Token) IsName() bool { return t.IsWord() && t.Text[0] > '9' }

// IsString reports whether the token is a string literal.
func (t Token) IsString() bool { return isQuote(t.Text[0]) }

// Nesting returns 1 for an opening bracket, -1 for a closing bracket, and otherwise 0.
func (t Token) Nesting() int {
	switch t.Text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// Tokenize splits an expression. If the expression ends within a string literal or a
// comment, isOpen is true and the tokens do not include the literal.
//
// cel-go's lexer cannot replace it: its tokens end at an unfinished operator or escape,
// which are common while typing, and its errors do not identify open literals. It also
// needs nine times as long.
func Tokenize(expression string) (tokens []Token, isOpen bool) {
	for i := 0; i < len(expression); {
		switch {
		case isSpace(expression[i]):
			i++
		case strings.HasPrefix(expression[i:], "//"):
			end := strings.IndexByte(expression[i:], '\n')
			if end < 0 {
				return tokens, true
			}
			i += end
		default:
			end, isOpen := tokenEnd(expression, i)
			if isOpen {
				return tokens, true
			}
			tokens = append(tokens, Token{expression[i:end], i, end})
			i = end
		}
	}
	return tokens, false
}

// tokenEnd returns the end of the token at an offset.
func tokenEnd(expression string, at int) (end int, isOpen bool) {
	switch c := expression[at]; {
	case isQuote(c):
		return stringEnd(expression, at)
	case isWordByte(c):
		return wordEnd(expression, at), false
	}
	_, size := utf8.DecodeRuneInString(expression[at:])
	return at + size, false
}

func wordEnd(expression string, at int) int {
	for at < len(expression) && isWordByte(expression[at]) {
		at++
	}
	return at
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isQuote(c byte) bool { return c == '"' || c == '\'' }

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// stringEnd returns the offset after the string literal at an offset. A line break ends a
// literal without triple quotes.
func stringEnd(expression string, at int) (end int, isOpen bool) {
	quote := expression[at : at+1]
	if strings.HasPrefix(expression[at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	for i := at + len(quote); i < len(expression); i++ {
		switch {
		case expression[i] == '\\':
			i++
		case strings.HasPrefix(expression[i:], quote):
			return i + len(quote), false
		case expression[i] == '\n' && len(quote) == 1:
			return i, false
		}
	}
	return len(expression), true
}
