package celscope

import (
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/source/celtoken"
)

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
		tokens, _ := celtoken.Tokenize(expression)
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
		tokens, _ := celtoken.Tokenize(before + after)
		at := slices.IndexFunc(tokens, func(token celtoken.Token) bool { return token.Start == len(before) })
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
		tokens, _ := celtoken.Tokenize(expression)
		var macros []string
		for _, macro := range openMacros(expression, tokens) {
			macros = append(macros, strings.Join(append([]string{macro.operand + "." + macro.name}, macro.variables()...), " "))
		}
		if got := strings.Join(macros, "; "); got != want {
			t.Errorf("%q: got %q, want %q", expression, got, want)
		}
	}
}
