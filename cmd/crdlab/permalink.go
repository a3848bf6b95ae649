package main

import (
	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// permalinks returns a function for links to the page with a document and its CRD. A
// document that is too large for a link has none. Without a page, the function is nil.
func permalinks(page string, mode playground.FieldValidation, r *check.Result) (func(check.Document) string, error) {
	if page == "" {
		return nil, nil
	}
	address, err := pageAddress(page)
	if err != nil {
		return nil, err
	}
	return func(d check.Document) string {
		if d.Source() == nil {
			return ""
		}
		s := playground.Scenario{FieldValidation: mode, CRD: d.Source().Text}
		if crd := r.CRDOf(d); crd != nil {
			s.CRD, s.Object, s.Admission = crd.Source().Text, d.Source().Text, r.Admission
		}
		fragment, err := share.Fragment(s)
		if err != nil {
			return ""
		}
		return address + fragment
	}, nil
}
