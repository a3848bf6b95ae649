package assist

import (
	"slices"
	"strings"
)

// A celToken is a token of an expression that need not be complete: a name, a
// number, a text with its quotes, or an operator or bracket of one character.
type celToken struct {
	text       string
	start, end int // offsets in bytes
}

func (t celToken) isName() bool {
	c := t.text[0]
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (t celToken) isText() bool { return t.text[0] == '"' || t.text[0] == '\'' }

// celTokens splits an expression. open says that it ends within a text or a
// comment.
func celTokens(expression string) (tokens []celToken, open bool) {
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
			if i, open = celTextEnd(expression, i); open {
				return tokens, true
			}
		case isWordByte(c):
			for i < len(expression) && isWordByte(expression[i]) {
				i++
			}
		default:
			i++
		}
		tokens = append(tokens, celToken{expression[start:i], start, i})
	}
	return tokens, false
}

func isWordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func celTextEnd(expression string, at int) (end int, open bool) {
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

// celOpeners are the brackets that a bracket closes.
var celOpeners = map[string]string{")": "(", "]": "[", "}": "{"}

// celOpening is the index of the bracket that the one at an index closes, or
// -1.
func celOpening(tokens []celToken, closing int) int {
	depth := 0
	for i := closing; i >= 0; i-- {
		switch tokens[i].text {
		case ")", "]", "}":
			depth++
		case "(", "[", "{":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// celClosing is the index of the bracket that closes the one at an index, or
// -1.
func celClosing(tokens []celToken, opening int) int {
	depth := 0
	for i := opening; i < len(tokens); i++ {
		switch tokens[i].text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// celOperand is the index at which the operand begins that ends before an
// index: names, calls and indexes with dots between them. It is end if there is
// none.
func celOperand(tokens []celToken, end int) int {
	i := end - 1
	for i >= 0 {
		switch token := tokens[i]; {
		case celOpeners[token.text] != "":
			opening := celOpening(tokens, i)
			if opening < 0 {
				return end
			}
			i = opening
			hasFunction := token.text == ")" && i > 0 && tokens[i-1].isName()
			isIndex := token.text == "]" && i > 0 && (tokens[i-1].isName() || celOpeners[tokens[i-1].text] != "")
			if isIndex {
				i--
				continue
			}
			if hasFunction {
				i--
			}
		case token.isName(), token.isText(), isWordByte(token.text[0]):
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

// celText is the expression that some tokens were taken from.
func celText(expression string, tokens []celToken) string {
	if len(tokens) == 0 {
		return ""
	}
	return expression[tokens[0].start:tokens[len(tokens)-1].end]
}

// celLoop is a macro whose parenthesis is open: what is before its dot, and the
// arguments up to the cursor, the last of which is not complete.
type celLoop struct {
	operand   string
	macro     string
	arguments [][]celToken
}

// celLoops are the macros around the end of an expression, the outer first.
func celLoops(expression string, tokens []celToken) []celLoop {
	var loops []celLoop
	for i, token := range tokens {
		if token.text != "(" || celClosing(tokens, i) >= 0 || i < 3 || tokens[i-2].text != "." {
			continue
		}
		operand := celOperand(tokens, i-2)
		loops = append(loops, celLoop{
			operand:   celText(expression, tokens[operand:i-2]),
			macro:     tokens[i-1].text,
			arguments: celArguments(tokens[i+1:]),
		})
	}
	return loops
}

// celArguments splits tokens at the commas that are in no brackets.
func celArguments(tokens []celToken) [][]celToken {
	arguments, depth := [][]celToken{nil}, 0
	for _, token := range tokens {
		switch token.text {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			depth--
		}
		if token.text == "," && depth == 0 {
			arguments = append(arguments, nil)
			continue
		}
		arguments[len(arguments)-1] = append(arguments[len(arguments)-1], token)
	}
	return arguments
}

// twoVariableMacros may have an index and an item.
var twoVariableMacros = []string{"all", "exists", "existsOne", "exists_one", "transformList", "transformMap", "transformMapEntry"}

// variables are the names that a loop declares for the argument that the cursor
// is in.
func (l celLoop) variables() []string {
	var names []string
	most := 1
	if slices.Contains(twoVariableMacros, l.macro) {
		most = 2
	}
	for i, argument := range l.arguments[:len(l.arguments)-1] {
		if i >= most || len(argument) != 1 || !argument[0].isName() {
			break
		}
		names = append(names, argument[0].text)
	}
	return names
}
