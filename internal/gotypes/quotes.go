package gotypes

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// rawValue returns the value of a marker as written, and its offset in the comment.
func rawValue(comment *ast.Comment) (value string, start int) {
	start = strings.IndexByte(comment.Text, '=') + 1
	value = strings.TrimLeft(comment.Text[start:], " \t")
	return strings.TrimRight(value, " \t\r"), len(comment.Text) - len(value)
}

// valueFix replaces the value of a marker by a quoted string.
func (p *places) valueFix(o origin, comment *ast.Comment, text, title string) []manifest.Fix {
	return p.replaceValue(o, comment, quoted(text), title)
}

func (p *places) replaceValue(o origin, comment *ast.Comment, written, title string) []manifest.Fix {
	value, start := rawValue(comment)
	return newFix(p.tokenRange(o, comment, start, start+len(value)), written, title, true)
}

// quoted returns a string in backticks, or in double quotes if it has backticks.
func quoted(text string) string {
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return backquote(text)
}

// inSingleQuotes returns the part between single quotes.
func inSingleQuotes(value string) (text string, ok bool) {
	if len(value) < len("''") || value[0] != '\'' || value[len(value)-1] != '\'' {
		return value, false
	}
	return value[1 : len(value)-1], true
}

// singleQuoted reports a value in single quotes, which controller-gen keeps.
func (p *places) singleQuoted(o origin, comment *ast.Comment) []manifest.Finding {
	value, _ := rawValue(comment)
	text, ok := inSingleQuotes(value)
	if !ok {
		return nil
	}
	what, effect := quotesEffect(p.value(o.node, comment), text)
	if what == "" {
		return nil
	}
	return []manifest.Finding{{
		Place: p.marker(o, comment), Severity: playground.SeverityWarning,
		Message: fmt.Sprintf("The single quotes are part of the %s%s.", what, effect),
		Hint:    fmt.Sprintf("controller-gen keeps single quotes in the value. Write the %s in backticks or double quotes.", what),
		Fixes:   p.valueFix(o, comment, text, "Replace the single quotes"),
	}}
}

// quotesEffect returns the values that a marker sets, and the effect of single quotes around its value. It returns
// nothing for markers that may need the quotes.
func quotesEffect(marker any, text string) (what, effect string) {
	switch marker := marker.(type) {
	case crdmarkers.Pattern:
		if strings.HasPrefix(text, "^") {
			return "pattern", ", so no value matches it"
		}
		return "pattern", ", so it matches only values that contain them"
	case crdmarkers.Format:
		return "format", ", so it has no effect"
	case crdmarkers.Default:
		if _, isText := marker.Value.(string); isText {
			return "default", ""
		}
	}
	return "", ""
}

// parseAdvice explains a marker that controller-tools cannot parse.
func (p *places) parseAdvice(o origin, comment *ast.Comment, definition *markers.Definition) advice {
	isPattern := definition.Output == reflect.TypeFor[crdmarkers.Pattern]()
	value, _ := rawValue(comment)
	switch {
	case isPattern && value != "" && !strings.ContainsAny(value[:1], "\"`"):
		return p.barePattern(o, comment)
	case (isPattern || !definition.AnonymousField()) && hasInnerQuote(markerText(comment)):
		return advice{hint: innerQuoteHint(definition)}
	case definition.AnonymousField() && definition.Fields[""].Type == markers.SliceType && strings.Contains(value, ",") && !strings.ContainsAny(value, "\"'`{"):
		return advice{
			"Semicolons separate the values of a list. A comma separates arguments.",
			p.replaceValue(o, comment, strings.ReplaceAll(value, ",", ";"), "Separate the values with semicolons"),
		}
	}
	return advice{hint: argumentsHint(definition)}
}

// barePattern explains an invalid pattern without quotes.
func (p *places) barePattern(o origin, comment *ast.Comment) advice {
	value, _ := rawValue(comment)
	text, _ := inSingleQuotes(value)
	hint := "Put the pattern in quotes"
	if strings.ContainsAny(text, "},;") {
		hint = "A pattern with }, ; or , needs quotes"
	}
	return advice{
		fmt.Sprintf("%s: Pattern=%s.", hint, quoted(text)),
		p.valueFix(o, comment, text, "Put the pattern in quotes"),
	}
}

// marked matches the strings in the arguments of a marker. The group follows a string in
// double quotes.
var marked = regexp.MustCompile("`[^`]*`" + `|="(?:[^"\\]|\\.)*"(\s*[^,\s])?`)

// hasInnerQuote reports whether a string in the arguments of a marker ends at a double quote within it.
func hasInnerQuote(text string) bool {
	for _, match := range marked.FindAllStringSubmatch(text, -1) {
		if match[1] != "" {
			return true
		}
	}
	return false
}

// innerQuoteHint explains a string that ends at a double quote within it.
func innerQuoteHint(definition *markers.Definition) string {
	if definition.Output == reflect.TypeFor[crdmarkers.XValidation]() {
		return `The string ends at the quote inside it. Write \" or single quotes in CEL, or put the rule in backticks.`
	}
	return `The string ends at the quote inside it. Write \", or put the string in backticks.`
}

// literal matches the strings of CEL.
var literal = regexp.MustCompile(`(?s)""".*?"""|'''.*?'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`)

// typographic lists the characters that are no quotes in CEL.
const typographic = "“”‘’"

// typographicQuote reports a typographic quote in a CEL expression outside of its strings.
func (p *places) typographicQuote(o origin, comment *ast.Comment) []manifest.Finding {
	if !strings.ContainsAny(comment.Text, typographic) {
		return nil
	}
	validation, _ := p.value(o.node, comment).(crdmarkers.XValidation)
	for _, rule := range []string{validation.Rule, validation.MessageExpression} {
		masked := literal.ReplaceAllStringFunc(rule, func(text string) string { return strings.Repeat(" ", len(text)) })
		if at := strings.IndexAny(masked, typographic); at >= 0 {
			isOnly := strings.LastIndexAny(masked, typographic) == at
			return []manifest.Finding{p.typographicProblem(o, comment, rule, at, isOnly)}
		}
	}
	return nil
}

// typographicProblem returns the problem for the typographic quote at an offset in a CEL expression. isOnly
// tells whether it is the only one: a pair surrounds a string.
func (p *places) typographicProblem(o origin, comment *ast.Comment, rule string, at int, isOnly bool) manifest.Finding {
	quote := rule[at : at+len("”")]
	problem := manifest.Finding{
		Place: p.marker(o, comment), Severity: playground.SeverityWarning,
		Message: fmt.Sprintf("The CEL expression contains the typographic quote %s, which CEL does not accept.", quote),
		Hint:    "This is a typographic quote. Write ' instead.",
	}
	start := strings.Index(comment.Text, rule)
	if start >= 0 {
		problem.Place = p.tokenRange(o, comment, start+at, start+at+len(quote))
	}
	if quote != "”" {
		return problem
	}
	empty := emptyString(comment, rule)
	problem.Hint = fmt.Sprintf("This is a typographic quote: gofmt turns two single quotes in a doc comment into it. Write %s or use size(x) > 0.", empty)
	if start >= 0 && isOnly {
		problem.Fixes = newFix(problem.Place, empty, "Replace "+quote+" with "+empty, true)
	}
	return problem
}

// emptyString returns an empty string of CEL as written in a marker.
func emptyString(comment *ast.Comment, rule string) string {
	if strings.Contains(comment.Text, backquote(rule)) {
		return `""`
	}
	return `\"\"`
}
