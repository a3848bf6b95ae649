package quickfix

import "github.com/crdlab/crdlab/internal/playground"

// FixableErrors are the errors that there are fixes for, each with what tells
// whether a finding is one.
func FixableErrors() map[string]func(playground.Finding) bool {
	fixable := map[string]func(playground.Finding) bool{}
	for _, r := range remedies {
		if r.fixes == nil {
			continue
		}
		name := r.message.text
		if r.field != nil {
			name = r.field.text + ": " + name
		}
		fixable[name] = func(f playground.Finding) bool {
			return r.field.fits(f.Field) && r.message.fits(f.Message)
		}
	}
	return fixable
}

// PatternsOfErrors are those that remedies know errors by.
func PatternsOfErrors() (patterns []func(text string) (found, foundAtLength bool)) {
	for _, r := range remedies {
		for _, p := range []*errorPattern{r.field, r.message} {
			if p != nil {
				patterns = append(patterns, func(text string) (bool, bool) {
					found := p.find(text) != nil
					return found, p.compiled.MatchString(text)
				})
			}
		}
	}
	return patterns
}
