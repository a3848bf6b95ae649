package gotypes

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// nestedDefaults reports the defaults of fields below optional structs without a default, and an optional
// spec with defaults in it.
func (p *places) nestedDefaults() []manifest.Finding {
	search := &defaultSearch{p, map[string]bool{}, map[ast.Node]bool{}, nil}
	for _, ident := range p.kinds() {
		search.visit(ident, "", nil)
	}
	return search.problems
}

// A defaultSearch follows the fields of structs, from each struct at most twice: below optional structs
// and not.
type defaultSearch struct {
	*places
	seen     map[string]bool
	reported map[ast.Node]bool
	problems []manifest.Finding
}

// visit searches a struct at a path of an object. optional has the names of the fields above it that an
// object may lack, up to a list, a map or a struct that cannot be empty.
func (s *defaultSearch) visit(ident crd.TypeIdent, path string, optional []string) {
	key := fmt.Sprint(ident, len(optional) > 0)
	info, schema := s.parser.Types[ident], s.parser.Schemata[ident]
	if info == nil || s.seen[key] {
		return
	}
	s.seen[key] = true
	for _, field := range info.Fields {
		o := origin{ident.Package, field.RawField}
		name, inline := jsonName(field)
		property, isProperty := schema.Properties[name]
		if !inline && !isProperty || path == "" && name == "status" {
			continue
		}
		_, preset := s.accepts(ident.Package, property, "")
		below, above, at, isItem := s.resolved(site{pkg: o.pkg, expr: field.RawField.Type, origins: []origin{o}}), optional, path, false
		for item, ok := s.element(below); ok; item, ok = s.element(below) {
			below, isItem = item, true
		}
		if !inline {
			at = strings.TrimPrefix(path+"."+name, ".")
			if preset != "" && preset != "{}" {
				s.report(o, field.Name, path, optional)
			}
		}
		if below.info == nil {
			continue
		}
		next := crd.TypeIdent{Package: below.pkg, Name: below.info.Name}
		switch {
		case isItem || !s.isRoot(o.pkg):
			above = nil
		case inline || preset != "" || slices.Contains(schema.Required, name):
		case !mayBeEmpty(property) || !mayBeEmpty(s.parser.Schemata[next]):
			above = nil
		case at == "spec": // One note for all fields of the spec.
			s.reportSpec(o, field.Name, s.parser.Schemata[next])
			above = nil
		default:
			above = append(slices.Clip(above), field.Name)
		}
		s.visit(next, at, above)
	}
}

// report reports the marker of the default of a field below optional structs, once.
func (s *defaultSearch) report(o origin, name, path string, optional []string) {
	if len(optional) == 0 || s.reported[o.node] || !s.isRoot(o.pkg) {
		return
	}
	for _, comment := range s.commentsOf(o.pkg).of[o.node] {
		if !s.constrains(o, comment, "default") {
			continue
		}
		s.reported[o.node] = true
		s.problems = append(s.problems, manifest.Finding{
			Place: s.marker(o, comment), Severity: playground.SeverityInfo,
			Message: fmt.Sprintf("An object without %s does not get the default of %s, because these fields have no default: %s.", path, name, strings.Join(optional, ", ")),
			Hint:    "If each object is to get it, add +kubebuilder:default={} to these fields.",
		})
	}
}

// reportSpec reports an optional spec without a default, if a field in it has one.
func (s *defaultSearch) reportSpec(o origin, name string, schema apiextensionsv1.JSONSchemaProps) {
	hasDefault := func(property apiextensionsv1.JSONSchemaProps) bool {
		return property.Default != nil && string(property.Default.Raw) != "{}"
	}
	if s.reported[o.node] || !slices.ContainsFunc(slices.Collect(maps.Values(schema.Properties)), hasDefault) {
		return
	}
	s.reported[o.node] = true
	s.problems = append(s.problems, manifest.Finding{
		Place: s.nameOf(o), Severity: playground.SeverityInfo,
		Message: fmt.Sprintf("An object without spec gets none of the defaults in it, because %s has no default.", name),
		Hint:    fmt.Sprintf("To set them in every object, add +kubebuilder:default={} to %s.", name),
	})
}

// mayBeEmpty reports whether a schema certainly accepts {}.
func mayBeEmpty(schema apiextensionsv1.JSONSchemaProps) bool {
	return len(schema.AllOf) == 0 && len(schema.XValidations) == 0 && schema.MinProperties == nil &&
		!slices.ContainsFunc(schema.Required, func(name string) bool { return schema.Properties[name].Default == nil })
}
