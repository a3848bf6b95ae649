package inspect

import (
	"io"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdlab/crdlab/internal/engine/openapi"
)

// An Explanation is the output of `kubectl explain` for a version of a CRD.
type Explanation struct {
	CRD     CRD    `json:"crd"`
	Version string `json:"version"`
	// Field is the explained field; empty for the whole object.
	Field string `json:"field"`
	Text  string `json:"text"`
}

// ExplainOptions select the explained part of a CRD.
type ExplainOptions struct {
	// Version is a served version, [AllVersions], or empty for the preferred version.
	Version string
	// Field is the path of a field without list indexes and map keys: "spec.jobs.name".
	Field     string
	Recursive bool
}

// Explain returns the explanations of a subject whose report has schemas. The error names a
// field that does not exist.
func Explain(s Subject, o ExplainOptions) ([]Explanation, error) {
	var fields []string
	if o.Field != "" {
		fields = strings.Split(o.Field, ".")
	}
	var all []Explanation
	for i, published := range s.Report.Schemas {
		if !selects(o.Version, published.Version, i) {
			continue
		}
		kind := schema.GroupVersionKind{Group: s.Report.CRD.Group, Version: published.Version, Kind: s.Report.CRD.Names.Kind}
		text, err := openapi.Explain(published.OpenAPIV3, kind, fields, o.Recursive)
		if err != nil {
			return nil, err
		}
		all = append(all, Explanation{s.crd(), published.Version, o.Field, text})
	}
	return all, nil
}

// WriteText writes the explanation as kubectl does.
func (e Explanation) WriteText(w io.Writer) error {
	_, err := io.WriteString(w, strings.TrimRight(e.Text, "\n")+"\n")
	return err
}
