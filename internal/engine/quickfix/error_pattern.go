package quickfix

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
)

// errorPattern is what a remedy knows an error by. It is compiled once it is
// compared with an error, of which most texts have none.
type errorPattern struct {
	text     string
	once     sync.Once
	compiled *regexp.Regexp
	// needed are texts of which one is in all that fits; nil if there are none.
	needed []string
}

// pattern does so little that the compiler can do it: all of it in one init would
// have a browser busy with optimizing what runs once.
func pattern(text string) *errorPattern { return &errorPattern{text: text} }

// find is the match in a text with its groups, or nil. A message of upstream may
// quote all of a schema, in which an expression takes seconds to find nothing, and
// a word no time.
func (p *errorPattern) find(text string) []string {
	p.once.Do(p.compile)
	if p.needed != nil && !slices.ContainsFunc(p.needed, func(word string) bool { return strings.Contains(text, word) }) {
		return nil
	}
	return p.compiled.FindStringSubmatch(text)
}

// fits says whether text has the pattern; without one, any text does.
func (p *errorPattern) fits(text string) bool { return p == nil || p.find(text) != nil }

func (p *errorPattern) compile() {
	p.compiled = regexp.MustCompile(p.text)
	if parsed, err := syntax.Parse(p.text, syntax.Perl); err == nil {
		p.needed = neededIn(parsed)
	}
}

// neededIn are texts of which each match of an expression has one, or nil if that
// cannot be told.
func neededIn(expression *syntax.Regexp) []string {
	switch expression.Op {
	case syntax.OpLiteral:
		if expression.Flags&syntax.FoldCase == 0 {
			return []string{string(expression.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return neededIn(expression.Sub[0])
	case syntax.OpConcat:
		return longest(expression.Sub)
	case syntax.OpAlternate:
		return neededInAny(expression.Sub)
	}
	return nil
}

func neededInAny(alternatives []*syntax.Regexp) (all []string) {
	for _, alternative := range alternatives {
		needed := neededIn(alternative)
		if needed == nil {
			return nil
		}
		all = append(all, needed...)
	}
	return all
}

// longest is what is needed of the parts of a sequence: that whose shortest text
// is the longest, since few errors have it.
func longest(parts []*syntax.Regexp) (best []string) {
	shortest := func(words []string) int {
		return len(slices.MinFunc(words, func(a, b string) int { return len(a) - len(b) }))
	}
	for _, part := range parts {
		if needed := neededIn(part); needed != nil && (best == nil || shortest(needed) > shortest(best)) {
			best = needed
		}
	}
	return best
}
