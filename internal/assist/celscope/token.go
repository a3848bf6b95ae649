package celscope

import (
	"strings"
)

// token is a token of an expression that may be incomplete: a name, a number, a string
// literal with quotes, or one character of an operator or bracket.
type token struct {
	text string
	// start and end are offsets in bytes.
	start, end int
}

func (t token) isName() bool {
	c := t.text[0]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (t token) isString() bool { return t.text[0] == '"' || t.text[0] == '\'' }

// tokenize splits an expression. If the expression ends within a string literal or a
// comment, isOpen is true.
//
// cel-go's lexer cannot replace it: its tokens end at an unfinished operator or escape,
// which are common while typing, and its errors do not identify open literals. It also
// needs nine times as long.
func tokenize(expression string) (tokens []token, isOpen bool) {
	for i := 0; i < len(expression); {
		start := i
		switch c := expression[i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
			continue
		case strings.HasPrefix(expression[i:], "//"):
			end := strings.IndexByte(expression[i:], '\n')
			if end < 0 {
				return tokens, true
			}
			i += end
			continue
		case c == '"' || c == '\'':
			if i, isOpen = stringEnd(expression, i); isOpen {
				return tokens, true
			}
		case isWordByte(c):
			for i < len(expression) && isWordByte(expression[i]) {
				i++
			}
		default:
			i++
		}
		tokens = append(tokens, token{expression[start:i], start, i})
	}
	return tokens, false
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// stringEnd returns the offset after the string literal at an offset.
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
		}
	}
	return len(expression), true
}

// nesting returns 1 for an opening bracket, -1 for a closing bracket, and otherwise 0.
func (t token) nesting() int {
	switch t.text {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

// openingBracket returns the index of the bracket that matches the closing bracket at an
// index, or -1.
func openingBracket(tokens []token, closing int) int {
	depth := 0
	for i := closing; i >= 0; i-- {
		if depth += tokens[i].nesting(); depth == 0 {
			return i
		}
	}
	return -1
}

// closingBracket returns the index of the bracket that matches the opening bracket at an
// index, or -1.
func closingBracket(tokens []token, opening int) int {
	depth := 0
	for i := opening; i < len(tokens); i++ {
		if depth += tokens[i].nesting(); depth == 0 {
			return i
		}
	}
	return -1
}

// operandStart returns the index of the first token of the operand that ends before the
// index end. An operand consists of names, calls and indexes, joined by dots. The result
// is end if no operand precedes it.
func operandStart(tokens []token, end int) int {
	i := end - 1
	for i >= 0 {
		switch token := tokens[i]; {
		case token.nesting() < 0:
			opening := openingBracket(tokens, i)
			if opening < 0 {
				return end
			}
			i = opening
			hasFunction := token.text == ")" && i > 0 && tokens[i-1].isName()
			isIndex := token.text == "]" && i > 0 && (tokens[i-1].isName() || tokens[i-1].nesting() < 0)
			if isIndex {
				i--
				continue
			}
			if hasFunction {
				i--
			}
		case token.isName(), token.isString(), isWordByte(token.text[0]):
		default:
			return end
		}
		dot := i - 1
		if dot > 0 && tokens[dot].text == "?" {
			dot--
		}
		if dot < 1 || tokens[dot].text != "." {
			return i
		}
		i = dot - 1
	}
	return end
}

// sourceOf returns the part of the expression that consecutive tokens cover.
func sourceOf(expression string, tokens []token) string {
	if len(tokens) == 0 {
		return ""
	}
	return expression[tokens[0].start:tokens[len(tokens)-1].end]
}

// joinTokens writes tokens as an expression, with single blanks and without comments.
func joinTokens(tokens []token) string {
	var b strings.Builder
	for i, token := range tokens {
		if i > 0 && token.start > tokens[i-1].end {
			b.WriteByte(' ')
		}
		b.WriteString(token.text)
	}
	return b.String()
}
