package quickfix

import "github.com/crdlab/crdlab/internal/playground"

// FixableErrors returns a predicate for each error of the table that has fixes.
// The keys name the errors in test output.
func FixableErrors() map[string]func(playground.Finding) bool {
	fixable := map[string]func(playground.Finding) bool{}
	for _, document := range documents[:3] { // the other documents have no fixes
		for s := range suggestionsFor(document, playground.StageUnknown) {
			if s.fixes == nil {
				continue
			}
			name := s.message.expression
			if s.field != nil {
				name = s.field.expression + ": " + name
			}
			fits := func(f playground.Finding) bool {
				return f.Document == document && s.field.matches(f.Field) && s.message.matches(f.Message)
			}
			if other := fixable[name]; other != nil {
				fixable[name] = func(f playground.Finding) bool { return fits(f) || other(f) }
			} else {
				fixable[name] = fits
			}
		}
	}
	return fixable
}

var documents = []playground.Document{playground.DocumentCRD, playground.DocumentObject, playground.DocumentAdmission, playground.DocumentOldCRD, playground.DocumentOldObject, playground.DocumentConversion}

// ErrorPatterns returns the patterns of the table. Each function reports whether
// the pattern occurs in a string: once with the search for substrings first, and
// once by the regular expression alone.
func ErrorPatterns() (patterns []func(s string) (found, foundByExpression bool)) {
	for _, document := range documents {
		for row := range suggestionsFor(document, playground.StageUnknown) {
			for _, p := range []*errorPattern{row.field, row.message} {
				if p != nil {
					patterns = append(patterns, func(s string) (bool, bool) {
						found := p.find(s) != nil
						return found, p.compiled.MatchString(s)
					})
				}
			}
		}
	}
	return patterns
}

// Codes returns the codes of all errors that the table and the functions name.
func Codes() map[string]bool {
	codes := map[string]bool{codeSyntax: true, playground.CodePartlyRead: true, codeType: true}
	for _, stage := range []playground.StageName{playground.StageUnknown, playground.StageRules} {
		for _, document := range documents {
			for row := range suggestionsFor(document, stage) {
				codes[row.code] = true
			}
		}
	}
	return codes
}
