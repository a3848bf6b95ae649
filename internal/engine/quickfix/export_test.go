package quickfix

import "github.com/crdlab/crdlab/internal/playground"

// FixableErrors returns a predicate for each error of the table that has fixes.
// The keys name the errors in test output.
func FixableErrors() map[string]func(playground.Finding) bool {
	fixable := map[string]func(playground.Finding) bool{}
	for _, s := range suggestions {
		if s.fixes == nil {
			continue
		}
		name := s.message.expression
		if s.field != nil {
			name = s.field.expression + ": " + name
		}
		fixable[name] = func(f playground.Finding) bool {
			return s.field.matches(f.Field) && s.message.matches(f.Message)
		}
	}
	return fixable
}

// ErrorPatterns returns the patterns of the table. Each function reports whether
// the pattern occurs in a string: once with the search for substrings first, and
// once by the regular expression alone.
func ErrorPatterns() (patterns []func(s string) (found, foundByExpression bool)) {
	for _, row := range suggestions {
		for _, p := range []*errorPattern{row.field, row.message} {
			if p != nil {
				patterns = append(patterns, func(s string) (bool, bool) {
					found := p.find(s) != nil
					return found, p.compiled.MatchString(s)
				})
			}
		}
	}
	return patterns
}
