package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/upstream"
	"github.com/crdlab/crdlab/internal/playground"
)

// warn adds warnings to the response, unless a header cannot contain them.
func (r *Request) warn(messages ...string) {
	r.Report.Warnings = append(r.Report.Warnings, slices.DeleteFunc(messages, func(message string) bool {
		return !upstream.IsHeader(message)
	})...)
}

// addWarnings adds findings for each warning that has none: one for each place in the schemas,
// because the API server's message has no place.
func (c *CRD) addWarnings(findings *finding.Collector, warnings []string) {
	warnings = slices.DeleteFunc(slices.Clone(warnings), findings.Has)
	if len(warnings) == 0 {
		return
	}
	places := c.warningPlaces()
	for _, message := range warnings {
		f := finding.OfWarning(playground.DocumentCRD, playground.StageCRDValidate, c.Doc, message)
		if len(places[message]) == 0 {
			findings.Add(f)
		}
		for _, place := range places[message] {
			f.Field = place.String()
			findings.AddLazily(f, c.locateCause)
		}
	}
}

// warningPlaces returns the fields to which a warning about the schemas refers, by its message.
// Older releases do not recognize all formats that this one does.
func (c *CRD) warningPlaces() map[string][]*field.Path {
	places, older := map[string][]*field.Path{}, map[string][]*field.Path{}
	if c.Internal == nil {
		return places
	}
	visitAllInOrder(&c.Internal.Spec, func(s *apiextensions.JSONSchemaProps, path *field.Path) {
		for _, message := range FormatWarnings(s) {
			places[message] = append(places[message], path.Child("format"))
		}
		for _, message := range setWarnings(s) {
			places[message] = append(places[message], path.Child("x-kubernetes-list-type"))
		}
		older[unrecognized(s.Format)] = append(older[unrecognized(s.Format)], path.Child("format"))
	})
	for message, fields := range older {
		if places[message] == nil {
			places[message] = fields
		}
	}
	return places
}

// newWarnings returns the warnings about the CRD that the old CRD does not have.
func (r *Request) newWarnings() []string {
	if r.Old != nil {
		old := sets.New(schemaWarnings(&r.Old.Spec)...)
		return slices.DeleteFunc(schemaWarnings(&r.Internal.Spec), old.Has)
	}
	var warnings []string
	if r.isValid() {
		warnings = r.valid.warnings
	} else {
		warnings = schemaWarnings(&r.Internal.Spec)
	}
	if r.decoded != nil {
		r.decoded.warnings = warnings
	}
	return slices.Clone(warnings)
}

// schemaWarnings returns the warnings of strategy.WarningsOnCreate without duplicates: a
// schema's own format before its properties' formats, and sets last.
func schemaWarnings(crd *apiextensions.CustomResourceDefinitionSpec) []string {
	var formats []string
	nonScalarSets := sets.New[string]()
	visitAllInOrder(crd, func(s *apiextensions.JSONSchemaProps, _ *field.Path) {
		formats = append(formats, FormatWarnings(s)...)
		nonScalarSets.Insert(setWarnings(s)...)
	})
	seen := sets.New[string]()
	return slices.DeleteFunc(append(formats, sets.List(nonScalarSets)...), func(warning string) bool {
		repeated := seen.Has(warning)
		seen.Insert(warning)
		return repeated
	})
}

// FormatWarnings returns the API server's warnings about an unknown format.
func FormatWarnings(s *apiextensions.JSONSchemaProps) []string {
	if s.Format == "" {
		return nil
	}
	var warnings []string
	schema := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format, Type: []string{s.Type}}}
	for _, format := range apiservervalidation.GetUnrecognizedFormats(schema, environment.DefaultCompatibilityVersion()) {
		warnings = append(warnings, unrecognized(format))
	}
	return warnings
}

func unrecognized(format string) string { return fmt.Sprintf("unrecognized format %q", format) }

// setWarnings returns the API server's warnings about a set of objects or lists.
func setWarnings(s *apiextensions.JSONSchemaProps) []string {
	if s.XListType == nil || *s.XListType != "set" || s.Items == nil || s.Items.Schema == nil {
		return nil
	}
	switch items := s.Items.Schema.Type; items {
	case "object", "array":
		return []string{fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items)}
	}
	return nil
}
