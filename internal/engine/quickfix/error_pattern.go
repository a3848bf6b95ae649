package quickfix

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// An errorPattern is a regular expression that recognizes an error. It is
// compiled on first use, because most documents have few errors.
type errorPattern struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
	// required lists substrings: each match contains at least one of them. It is nil
	// if the expression has no such substrings.
	required []string
}

// pattern returns a pattern that is not compiled yet. The Go compiler evaluates
// this call, so the table costs a browser nothing at start.
func pattern(expression string) *errorPattern { return &errorPattern{expression: expression} }

// find returns the match in a string and its groups, or nil. Upstream messages
// may quote a whole schema; the check for substrings is much cheaper than the
// regular expression. The pattern nil matches any string.
func (p *errorPattern) find(s string) []string {
	if p == nil {
		return []string{""}
	}
	p.once.Do(p.compile)
	if p.required != nil && !slices.ContainsFunc(p.required, func(substring string) bool { return strings.Contains(s, substring) }) {
		return nil
	}
	return p.compiled.FindStringSubmatch(s)
}

// matches reports whether a string contains a match.
func (p *errorPattern) matches(s string) bool { return p.find(s) != nil }

func (p *errorPattern) compile() {
	p.compiled = regexp.MustCompile(p.expression)
	if parsed, err := syntax.Parse(p.expression, syntax.Perl); err == nil {
		p.required = requiredSubstrings(parsed)
	}
}

// requiredSubstrings returns substrings such that each match of the expression
// contains at least one of them. It returns nil if it finds no such substrings.
func requiredSubstrings(expression *syntax.Regexp) []string {
	switch expression.Op {
	case syntax.OpLiteral:
		if expression.Flags&syntax.FoldCase == 0 {
			return []string{string(expression.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredSubstrings(expression.Sub[0])
	case syntax.OpConcat:
		return requiredInSequence(expression.Sub)
	case syntax.OpAlternate:
		return requiredInAlternatives(expression.Sub)
	}
	return nil
}

func requiredInAlternatives(alternatives []*syntax.Regexp) (all []string) {
	for _, alternative := range alternatives {
		required := requiredSubstrings(alternative)
		if required == nil {
			return nil
		}
		all = append(all, required...)
	}
	return all
}

// requiredInSequence returns the required substrings of the most selective part
// of a sequence: the part whose shortest substring is the longest.
func requiredInSequence(parts []*syntax.Regexp) (best []string) {
	shortest := func(substrings []string) int {
		return len(slices.MinFunc(substrings, func(a, b string) int { return len(a) - len(b) }))
	}
	for _, part := range parts {
		if required := requiredSubstrings(part); required != nil && (best == nil || shortest(required) > shortest(best)) {
			best = required
		}
	}
	return best
}
