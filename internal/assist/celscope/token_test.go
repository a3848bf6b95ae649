package celscope

import (
	"slices"
	"strings"
	"testing"
)

func TestTokenize(t *testing.T) {
	for _, test := range []struct {
		expression, tokens string
		isOpen             bool
	}{
		{"self.a >= 10", "self . a > = 10", false},
		{"self.?a.orValue('x y')", "self . ? a . orValue ( 'x y' )", false},
		{"self.a // comment\n && b", "self . a & & b", false},
		{"self.a // comment", "self . a", true},
		{"self.a == 'it\\'s", "self . a = =", true},
		{"'''a'b''' + \"\"", "'''a'b''' + \"\"", false},
	} {
		tokens, isOpen := tokenize(test.expression)
		var words []string
		for _, token := range tokens {
			words = append(words, token.text)
		}
		if got := strings.Join(words, " "); got != test.tokens || isOpen != test.isOpen {
			t.Errorf("%q: got %q, open: %v, want %q, open: %v", test.expression, got, isOpen, test.tokens, test.isOpen)
		}
	}
}

func TestOperandStart(t *testing.T) {
	for expression, want := range map[string]string{
		"a && self.b":             "self.b",
		"!self.list[0].name":      "self.list[0].name",
		"1 + self.f(a, b)[c].d":   "self.f(a, b)[c].d",
		"[1, 2].all(x, x > 0)":    "[1, 2].all(x, x > 0)",
		"self.?a":                 "self.?a",
		"(self.a || self.b) &&":   "",
		"size(self.list) > (a).b": "(a).b",
	} {
		tokens, _ := tokenize(expression)
		if got := sourceOf(expression, tokens[operandStart(tokens, len(tokens)):]); got != want {
			t.Errorf("%q: got %q, want %q", expression, got, want)
		}
	}
}

func TestEnclosingPart(t *testing.T) {
	for expression, want := range map[string]string{
		"f(a, b █+ g(c), d)": "b + g(c)",
		"(a █&& b) || c":     "a && b",
		"x █== [1, 2][0]":    "x == [1, 2][0]",
	} {
		before, after, _ := strings.Cut(expression, "█")
		tokens, _ := tokenize(before + after)
		at := slices.IndexFunc(tokens, func(token token) bool { return token.start == len(before) })
		first, last := enclosingPart(tokens, at)
		if got := sourceOf(before+after, tokens[first:last+1]); got != want {
			t.Errorf("%q: got %q, want %q", expression, got, want)
		}
	}
}

func TestOpenMacros(t *testing.T) {
	for expression, want := range map[string]string{
		"self.list.all(x, x.a > 0) && ":       "",
		"self.list.all(x, x.":                 "self.list.all x",
		"self.list.exists(i, x, x.":           "self.list.exists i x",
		"self.a.map(x, x.b.filter(y, y == x.": "self.a.map x; x.b.filter y",
		"self.list.all(x":                     "self.list.all",
	} {
		tokens, _ := tokenize(expression)
		var macros []string
		for _, macro := range openMacros(expression, tokens) {
			macros = append(macros, strings.Join(append([]string{macro.operand + "." + macro.name}, macro.variables()...), " "))
		}
		if got := strings.Join(macros, "; "); got != want {
			t.Errorf("%q: got %q, want %q", expression, got, want)
		}
	}
}
