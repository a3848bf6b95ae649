package celscope

import (
	"strings"

	"github.com/crdlab/crdlab/internal/source/celtoken"
)

// openingBracket returns the index of the bracket that matches the closing bracket at an
// index, or -1.
func openingBracket(tokens []celtoken.Token, closing int) int {
	depth := 0
	for i := closing; i >= 0; i-- {
		if depth += tokens[i].Nesting(); depth == 0 {
			return i
		}
	}
	return -1
}

// closingBracket returns the index of the bracket that matches the opening bracket at an
// index, or -1.
func closingBracket(tokens []celtoken.Token, opening int) int {
	depth := 0
	for i := opening; i < len(tokens); i++ {
		if depth += tokens[i].Nesting(); depth == 0 {
			return i
		}
	}
	return -1
}

// operandStart returns the index of the first token of the operand that ends before the
// index end. An operand consists of names, calls and indexes, joined by dots. The result
// is end if no operand precedes it.
func operandStart(tokens []celtoken.Token, end int) int {
	i := end - 1
	for i >= 0 {
		switch token := tokens[i]; {
		case token.Nesting() < 0:
			opening := openingBracket(tokens, i)
			if opening < 0 {
				return end
			}
			i = opening
			hasFunction := token.Text == ")" && i > 0 && tokens[i-1].IsName()
			isIndex := token.Text == "]" && i > 0 && (tokens[i-1].IsName() || tokens[i-1].Nesting() < 0)
			if isIndex {
				i--
				continue
			}
			if hasFunction {
				i--
			}
		case token.IsName(), token.IsString(), token.IsWord():
		default:
			return end
		}
		dot := i - 1
		if dot > 0 && tokens[dot].Text == "?" {
			dot--
		}
		if dot < 1 || tokens[dot].Text != "." {
			return i
		}
		i = dot - 1
	}
	return end
}

// sourceOf returns the part of the expression that consecutive tokens cover.
func sourceOf(expression string, tokens []celtoken.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	return expression[tokens[0].Start:tokens[len(tokens)-1].End]
}

// joinTokens writes tokens as an expression, with single blanks and without comments.
func joinTokens(tokens []celtoken.Token) string {
	var b strings.Builder
	for i, token := range tokens {
		if i > 0 && token.Start > tokens[i-1].End {
			b.WriteByte(' ')
		}
		b.WriteString(token.Text)
	}
	return b.String()
}
