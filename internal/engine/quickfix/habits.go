package quickfix

import (
	"regexp"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// celHabits lists errors of expressions in which the author writes CEL like another language. The
// message of the compiler quotes the line.
var celHabits = []suggestion{
	{code: "cel-syntax", message: pattern(`token recognition error at: '['"].*\\.'`),
		hint: `In a CEL string, a backslash starts an escape sequence. For a regular expression, write a raw string such as r'\d', or double the backslash.`, fixes: rewriting(`'[^']*\\[^']*'|"[^"]*\\[^"]*"`, func(s string) string { return "r" + s })},
	{code: "cel-syntax", message: pattern(`extraneous input '\?'`), hint: "CEL has no operator ??. For a field that may be absent, write has(a.b) ? a.b : c, or a.?b.orValue(c)."},
	{code: "cel-syntax", message: pattern(`mismatched input '(?:and|or|AND|OR)' expecting|mismatched input '\w+' expecting <EOF>\n \| .*\b(?:not|NOT) `),
		hint: "The logical operators of CEL are && (and), || (or) and ! (not).", fixes: rewriting(`(?i)\b(?:and|or)\b|\bnot `, replacing("and", "&&", "or", "||", "not ", "!"))},
	{code: "cel-syntax", message: pattern(`token recognition error at: '(?:= |=')|extraneous input '>' expecting .*\n \| .*<>`), hint: "CEL compares with == and !=.", fixes: rewriting(`[=!<>]=+|=|<>`, replacing("=", "==", "===", "==", "!==", "!=", "<>", "!="))},
	{code: "cel-syntax", message: pattern(`token recognition error at: '[&|] `),
		hint: "The logical operators of CEL are && (and), || (or) and ! (not).", fixes: rewriting(`&+|\|+`, replacing("&", "&&", "|", "||"))},
	{code: "cel-syntax", message: pattern(`token recognition error at: '=?~|mismatched input '(?:matches|like|LIKE|contains|startsWith|endsWith)' expecting`),
		hint: "CEL compares strings with functions, such as a.matches('^x'), a.contains('x') and a.startsWith('x')."},
	{code: "cel-syntax", message: pattern(`token recognition error at: '=>|extraneous input '>' expecting .*\n \| .*->`),
		hint: "In a macro, a comma separates the name of the item from the condition: list.all(x, x > 0).", fixes: rewriting(`\s*[-=]>`, func(string) string { return "," })},
	{code: "cel-syntax", message: pattern(`token recognition error at: '[“”‘’]`), hint: "CEL strings use straight quotes.", fixes: rewriting(`[“”‘’]`, func(string) string { return "'" })},
	{code: "cel-syntax", message: pattern(`token recognition error at: ';'`), hint: "An expression does not end with a semicolon.", fixes: rewriting(`;\s*$`, func(string) string { return "" })},
	{code: "cel-syntax", message: pattern(`token recognition error at: '#`), hint: "Comments in CEL begin with //."},
	{code: "cel-syntax", message: pattern(`token recognition error at: '\$'|mismatched input '}' expecting ':'`), hint: "CEL variables have no dollar sign and no braces."},
	{code: "cel-syntax", message: pattern(`mismatched input ',' expecting '\)'\n \| .*\bin \(`), hint: "Write a list in brackets: a in ['x', 'y']."},
	{code: "cel-syntax", message: pattern(`mismatched input '\*' expecting`), hint: "CEL has no [*]. To test the items of a list, write a macro such as list.all(x, x.a == 'b') or list.exists(x, x.a == 'b')."},
	{code: "cel-syntax", message: pattern(`mismatched input 'is' expecting`), hint: "To test whether a field is present, write has(a.b)."},
	{code: "cel-syntax", message: pattern(`mismatched input '<EOF>' expecting ':'`), hint: "A conditional needs both branches: a ? b : c. For a field that may be absent, write a.?b.orValue('')."},
	{code: "cel-syntax", message: pattern(`missing '[)\]}]' at '|extraneous input '[)\]}]' expecting`), hint: "The brackets do not match."},
	{code: "cel-syntax", message: pattern(`mismatched input '<EOF>' expecting`), hint: "The expression is incomplete: an operand or a closing bracket is missing."},
	{code: "cel-syntax", message: pattern(`extraneous input '\w+' expecting <EOF>`), hint: `An operator is missing between two operands. A quote inside a string ends the string, unless it is written as \'.`},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:len|length|count|isEmpty|empty)'`), hint: "The size of a string, list or map is size(a). It is empty if size(a) == 0."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:toLower|toLowerCase|lower|toUpper|toUpperCase|upper)'`), hint: "To change the case of letters, write a.lowerAscii() or a.upperAscii()."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:any|some|every|forall|forAll)'`), hint: "The macros for lists and maps are list.exists(x, x > 0) and list.all(x, x > 0)."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:defined|isDefined|isset|isSet|exist)'|undeclared reference to 'exists'.*\n \| .*exists\([\w.]*\)`), hint: "To test whether a field is present, write has(a.b)."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:includes|has_key|hasKey|containsKey)'`), hint: "To find an item of a list or a key of a map, write 'x' in a."},
	{code: "cel-undeclared-reference", message: pattern(`undeclared reference to '(?:toString|str|parseInt|toInt|number|float)'`), hint: "The conversions are string(a), int(a) and double(a)."},
	{code: "cel-field-selection", message: pattern(`type '(?:list|map|string).*' does not support field selection\n \| .*\.(?:size|length|len)\b`), hint: "size is a function: write a.size()."},
	{code: "cel-no-overload", message: pattern(`overload for 'contains' applied to 'list\(`), hint: "contains() searches in strings. To find an item of a list, write 'x' in list."},
	{code: "cel-no-overload", message: pattern(`overload for '@in' applied to '\(string, string\)'`), hint: "in searches in lists and in the keys of maps. To search in a string, write a.contains('x')."},
	{code: "cel-no-overload", message: pattern(`overload for '_[!=]=_' applied to '\((?:\w+, null|null, \w+)\)'`), hint: "A value of this type is never null. To test whether a field is present, write has(a.b)."},
}

// replacing returns a function that replaces the given strings, each followed by its replacement.
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
// offers no fix if the result does not compile. Strings stay as they are, unless they match.
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
