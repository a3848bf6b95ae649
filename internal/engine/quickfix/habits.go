package quickfix

import (
	"regexp"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// celHabits lists errors of expressions in which the author writes CEL like another language. The
// message of the compiler quotes the line.
var celHabits = []suggestion{
	{"cel-syntax", nil, pattern(`token recognition error at: '['"].*\\.'`),
		`In a CEL string, a backslash starts an escape sequence. For a regular expression, write a raw string such as r'\d', or double the backslash.`,
		rewriting(`'[^']*\\[^']*'|"[^"]*\\[^"]*"`, func(s string) string { return "r" + s })},
	{"cel-syntax", nil, pattern(`extraneous input '\?'`), "CEL has no operator ??. For a field that may be absent, write has(a.b) ? a.b : c, or a.?b.orValue(c).", nil},
	{"cel-syntax", nil, pattern(`mismatched input '(?:and|or|AND|OR)' expecting|mismatched input '\w+' expecting <EOF>\n \| .*\b(?:not|NOT) `),
		"The logical operators of CEL are && (and), || (or) and ! (not).", rewriting(`(?i)\b(?:and|or)\b|\bnot `, replacing("and", "&&", "or", "||", "not ", "!"))},
	{"cel-syntax", nil, pattern(`token recognition error at: '(?:= |=')|extraneous input '>' expecting .*\n \| .*<>`),
		"CEL compares with == and !=.", rewriting(`[=!<>]=+|=|<>`, replacing("=", "==", "===", "==", "!==", "!=", "<>", "!="))},
	{"cel-syntax", nil, pattern(`token recognition error at: '[&|] `),
		"The logical operators of CEL are && (and), || (or) and ! (not).", rewriting(`&+|\|+`, replacing("&", "&&", "|", "||"))},
	{"cel-syntax", nil, pattern(`token recognition error at: '=?~|mismatched input '(?:matches|like|LIKE|contains|startsWith|endsWith)' expecting`),
		"CEL compares strings with functions, such as a.matches('^x'), a.contains('x') and a.startsWith('x').", nil},
	{"cel-syntax", nil, pattern(`token recognition error at: '=>|extraneous input '>' expecting .*\n \| .*->`),
		"In a macro, a comma separates the name of the item from the condition: list.all(x, x > 0).", rewriting(`\s*[-=]>`, func(string) string { return "," })},
	{"cel-syntax", nil, pattern(`token recognition error at: '[“”‘’]`),
		"CEL strings use straight quotes.", rewriting(`[“”‘’]`, func(string) string { return "'" })},
	{"cel-syntax", nil, pattern(`token recognition error at: ';'`), "An expression does not end with a semicolon.", rewriting(`;\s*$`, func(string) string { return "" })},
	{"cel-syntax", nil, pattern(`token recognition error at: '#`), "Comments in CEL begin with //.", nil},
	{"cel-syntax", nil, pattern(`token recognition error at: '\$'|mismatched input '}' expecting ':'`), "CEL variables have no dollar sign and no braces.", nil},
	{"cel-syntax", nil, pattern(`mismatched input ',' expecting '\)'\n \| .*\bin \(`), "Write a list in brackets: a in ['x', 'y'].", nil},
	{"cel-syntax", nil, pattern(`mismatched input '\*' expecting`), "CEL has no [*]. To test the items of a list, write a macro such as list.all(x, x.a == 'b') or list.exists(x, x.a == 'b').", nil},
	{"cel-syntax", nil, pattern(`mismatched input 'is' expecting`), "To test whether a field is present, write has(a.b).", nil},
	{"cel-syntax", nil, pattern(`mismatched input '<EOF>' expecting ':'`), "A conditional needs both branches: a ? b : c. For a field that may be absent, write a.?b.orValue('').", nil},
	{"cel-syntax", nil, pattern(`missing '[)\]}]' at '|extraneous input '[)\]}]' expecting`), "The brackets do not match.", nil},
	{"cel-syntax", nil, pattern(`mismatched input '<EOF>' expecting`), "The expression is incomplete: an operand or a closing bracket is missing.", nil},
	{"cel-syntax", nil, pattern(`extraneous input '\w+' expecting <EOF>`), `An operator is missing between two operands. A quote inside a string ends the string, unless it is written as \'.`, nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:len|length|count|isEmpty|empty)'`), "The size of a string, list or map is size(a). It is empty if size(a) == 0.", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:toLower|toLowerCase|lower|toUpper|toUpperCase|upper)'`), "To change the case of letters, write a.lowerAscii() or a.upperAscii().", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:any|some|every|forall|forAll)'`), "The macros for lists and maps are list.exists(x, x > 0) and list.all(x, x > 0).", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:defined|isDefined|isset|isSet|exist)'|undeclared reference to 'exists'.*\n \| .*exists\([\w.]*\)`), "To test whether a field is present, write has(a.b).", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:includes|has_key|hasKey|containsKey)'`), "To find an item of a list or a key of a map, write 'x' in a.", nil},
	{"cel-undeclared-reference", nil, pattern(`undeclared reference to '(?:toString|str|parseInt|toInt|number|float)'`), "The conversions are string(a), int(a) and double(a).", nil},
	{"cel-field-selection", nil, pattern(`type '(?:list|map|string).*' does not support field selection\n \| .*\.(?:size|length|len)\b`), "size is a function: write a.size().", nil},
	{"cel-no-overload", nil, pattern(`overload for 'contains' applied to 'list\(`), "contains() searches in strings. To find an item of a list, write 'x' in list.", nil},
	{"cel-no-overload", nil, pattern(`overload for '@in' applied to '\(string, string\)'`), "in searches in lists and in the keys of maps. To search in a string, write a.contains('x').", nil},
	{"cel-no-overload", nil, pattern(`overload for '_[!=]=_' applied to '\((?:\w+, null|null, \w+)\)'`), "A value of this type is never null. To test whether a field is present, write has(a.b).", nil},
}

// replacing returns a function that replaces the given texts, each followed by its replacement.
func replacing(pairs ...string) func(string) string {
	return func(s string) string {
		for i := 0; i < len(pairs); i += 2 {
			if strings.EqualFold(s, pairs[i]) {
				return pairs[i+1]
			}
		}
		return s
	}
}

// maxTitle limits the titles that quote an expression.
const maxTitle = 80

// rewriting returns a function whose fix replaces each match of a regular expression in a rule. It
// offers none if the result does not compile. Strings stay as they are, unless they match.
func rewriting(match string, replace func(string) string) fixFunc {
	written := regexp.MustCompile(match)
	other := regexp.MustCompile(`'[^']*'|"[^"]*"|` + match)
	return func(p *problem) []playground.Fix {
		rule, ok := p.rule()
		if !ok {
			return nil
		}
		text := p.scalar(p.path...)
		fixed := other.ReplaceAllStringFunc(text, func(found string) string {
			if written.FindString(found) == found {
				return replace(found)
			}
			return found
		})
		if fixed == text || !rule.Compiles(fixed) {
			return nil
		}
		title := "Write " + fixed
		if len(title) > maxTitle {
			title = "Correct the expression"
		}
		return p.newFix(title, p.setValue(fixed, p.path...))
	}
}
