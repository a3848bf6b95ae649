package engine

import "github.com/crdlab/crdlab/internal/playground"

// FixableErrors are the errors that there are fixes for, each with what tells
// whether a finding is one.
func FixableErrors() map[string]func(playground.Finding) bool {
	fixable := map[string]func(playground.Finding) bool{}
	for _, r := range remedies {
		if r.fixes == nil {
			continue
		}
		name := r.message.String()
		if r.field != nil {
			name = r.field.String() + ": " + name
		}
		fixable[name] = func(f playground.Finding) bool {
			return (r.field == nil || r.field.MatchString(f.Field)) && r.message.MatchString(f.Message)
		}
	}
	return fixable
}
