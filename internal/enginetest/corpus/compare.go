package corpus

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A Verdict is a verdict on a CRD or a sample.
type Verdict struct {
	Accepted bool
	// Status is the code of the API server's response.
	Status int
	// Errors lists the errors in the API server's format.
	Errors []string
}

// Compare describes the differences between a verdict and the verdict of the manifest.
func (c CRD) Compare(v Verdict) (differences []string) {
	if c.APIExtensions != "v1" { // The manifest judges the v1 CRD that it converts to.
		c.Oracle.Accepted, c.Oracle.ErrorCount, c.Oracle.FirstError = false, 1, `apiVersion: no matches for kind "CustomResourceDefinition" in version "apiextensions.k8s.io/v1beta1"`
	}
	if v.Accepted != c.Oracle.Accepted || len(v.Errors) != c.Oracle.ErrorCount {
		differences = append(differences, fmt.Sprintf("accepted %v with %d errors %q, want %v with %d",
			v.Accepted, len(v.Errors), v.Errors, c.Oracle.Accepted, c.Oracle.ErrorCount))
	}
	if first := c.Oracle.FirstError; first != "" && !slices.Contains(v.Errors, first) {
		differences = append(differences, fmt.Sprintf("errors %q, want %q among them", v.Errors, first))
	}
	return differences
}

// Compare describes the differences between a verdict and the verdict of the manifest.
func (s Sample) Compare(v Verdict) (differences []string) {
	if s.VersionServed != nil && !*s.VersionServed || s.Oracle == "version-not-in-crd" {
		if v.Status != http.StatusNotFound {
			return []string{fmt.Sprintf("status %d of an object whose version is not served", v.Status)}
		}
		return nil
	}
	errors, want := covered(v.Errors), covered(s.Errors)
	switch s.Oracle {
	case "valid", "valid-with-unknown-fields":
		if len(errors) > 0 {
			differences = append(differences, fmt.Sprintf("errors %q of a valid object", errors))
		}
	case "invalid":
		for _, e := range want {
			if !slices.ContainsFunc(errors, func(got string) bool { return isListed(got, e) }) {
				differences = append(differences, fmt.Sprintf("errors %q, want %q among them", errors, e))
			}
		}
		if len(want) == len(s.Errors) && len(want) < listedErrors && len(errors) != len(want) {
			differences = append(differences, fmt.Sprintf("errors %q, want %q", errors, want))
		}
	default:
		if v.Accepted {
			differences = append(differences, "accepted, but the manifest says "+s.Oracle)
		}
	}
	return differences
}

// isListed reports whether an error matches an error of the manifest, which truncates
// long messages.
func isListed(e, listed string) bool {
	head, cut := strings.CutSuffix(listed, "…")
	return e == listed || cut && strings.HasPrefix(e, head)
}

// listedErrors is the maximum number of errors that the manifest lists.
const listedErrors = 3

// covered returns the errors that the manifest covers. It neither checks names nor drops
// the status.
func covered(errors []string) []string {
	var out []string
	for _, e := range errors {
		if !strings.HasPrefix(e, "metadata") && !strings.HasPrefix(e, "status") &&
			!strings.HasPrefix(e, "<nil>: Invalid value: null: some validation rules were not checked") && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out
}
