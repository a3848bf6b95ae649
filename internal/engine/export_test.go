package engine

import (
	"context"
	"math"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

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

// ValidateFewRules sets how many rules Preliminary has validated, too.
func (e *Engine) ValidateFewRules(count int) { e.fewRules = count }

// ErrorsWithoutDescriptions are upstream's for the CRD of s on create, as it is and
// as validCRDs remembers it, and whether those two differ.
func ErrorsWithoutDescriptions(ctx context.Context, s playground.Scenario) (with, without []string, differ bool) {
	r := New(Parts{}).newCRDRequest(ctx, s)
	if !r.open(s.CRD) || decodeCRD(r) != nil {
		return nil, nil, false
	}
	prepareCRD(r.internal)
	same := newValidCRD(r.internal).crd
	return validationErrors(ctx, r.internal), validationErrors(ctx, same), !reflect.DeepEqual(same, r.internal)
}

func validationErrors(ctx context.Context, definition *apiextensions.CustomResourceDefinition) (messages []string) {
	r := crdRequest{crd: &crd{internal: definition}, ctx: ctx, fewRules: math.MaxInt}
	err := upstream.Guard(playground.StageCRDValidate, func() error {
		for _, err := range upstream.SortErrors(r.validateSpec()) {
			messages = append(messages, upstream.Repeatable(err.Error()))
		}
		return nil
	})
	if err != nil {
		messages = append(messages, err.Error())
	}
	return messages
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
