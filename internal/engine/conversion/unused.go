package conversion

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/playground"
)

// withoutEffect returns warnings about versions and fields in the rules that the CRD lacks. Such rules
// fail for no object, so that a misspelled name would go unnoticed.
func (c *conversionRules) withoutEffect(request Request) []playground.Finding {
	var findings []playground.Finding
	warn := func(message string, path ...any) {
		if at, ok := c.at.At(path...); ok {
			findings = append(findings, finding.Warning(playground.DocumentConversion, playground.StageStore, at.Value(), message))
		}
	}
	isVersion := func(name string) bool {
		return request.CRD == nil || slices.ContainsFunc(request.CRD.Spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
	}
	for _, end := range []struct{ key, version string }{{"from", c.From}, {"to", c.To}} {
		if !isVersion(end.version) {
			warn(fmt.Sprintf("the CRD has no version %q, so these rules convert nothing", end.version), end.key)
		}
	}
	for i, rule := range c.Rules {
		if isMissing(request.Schemas[c.From], rule.Field) {
			warn(fmt.Sprintf("%s has no field %s, so the rule converts nothing", c.From, rule.Field), "rules", i, "field")
		}
		if isMissing(request.Schemas[c.To], rule.Destination) {
			warn(fmt.Sprintf("%s has no field %s, so the API server prunes the value", c.To, rule.Destination), "rules", i, "destination")
		}
	}
	for i, field := range c.Preserve {
		if isMissing(request.Schemas[c.From], field) {
			warn(fmt.Sprintf("%s has no field %s, so there is nothing to preserve", c.From, field), "preserve", i)
		}
	}
	return findings
}

// isMissing reports whether a schema prunes the field at a path. An unknown schema prunes nothing.
func isMissing(schema *structuralschema.Structural, field string) bool {
	path := jsonvalue.SplitJSONPath(field)
	if schema == nil || len(path) == 0 || slices.Contains([]string{"apiVersion", "kind", "metadata"}, path[0]) {
		return false
	}
	for i := range path {
		if node := property(schema, path[:i]); node == nil || node.XPreserveUnknownFields || node.XEmbeddedResource {
			return false
		}
		if property(schema, path[:i+1]) == nil {
			return true
		}
	}
	return false
}
