package celtoken_test

import (
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/source/celtoken"
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
		tokens, isOpen := celtoken.Tokenize(test.expression)
		var words []string
		for _, token := range tokens {
			words = append(words, token.Text)
		}
		if got := strings.Join(words, " "); got != test.tokens || isOpen != test.isOpen {
			t.Errorf("%q: got %q, open: %v, want %q, open: %v", test.expression, got, isOpen, test.tokens, test.isOpen)
		}
	}
}

// TestAt marks the position that the compiler reports with █.
func TestAt(t *testing.T) {
	for expression, want := range map[string]string{
		"self█.name == 'a'":           "name",
		"a && size█(b)":               "size",
		"a █&& b":                     "&&",
		"é == █'a b' + c":             "'a b'",
		"a == █\"\"\"b\n'c\"\"\" + d": "\"\"\"b\n'c\"\"\"",
		"a ==█":                       "==",
		"a + 'b' // not a token\n█":   "'b'",
		"a == █'b":                    "'",
		"'a\n█b":                      "b",
		"█ ":                          "none",
	} {
		before, after, _ := strings.Cut(expression, "█")
		lines := strings.Split(before, "\n")
		got := "none"
		if start, end, ok := celtoken.At(before+after, len(lines), len([]rune(lines[len(lines)-1]))+1); ok {
			got = (before + after)[start:end]
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", expression, got, want)
		}
	}
}
