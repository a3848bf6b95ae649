package gotypes

import (
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// repeated reports the markers of a field or type that the last one of the same name replaces.
func (p *places) repeated(o origin, list []*ast.Comment) []manifest.Finding {
	var all []manifest.Finding
	last := map[string]*ast.Comment{}
	for _, comment := range slices.Backward(list) {
		definition := p.registry.Lookup(markerText(comment), target(o.node))
		if definition == nil {
			continue
		}
		counts := last[definition.Name]
		if counts == nil {
			last[definition.Name] = comment
			continue
		}
		if !p.replaces(o, comment, counts) {
			continue
		}
		_, value, _ := strings.Cut(markerText(counts), "=")
		problem := manifest.Finding{
			Place: p.marker(o, comment), Severity: playground.SeverityWarning, Hint: "Remove the marker.",
			Message: fmt.Sprintf("The marker has no effect, because controller-gen uses only the last +%s here: %s.", definition.Name, value),
		}
		if prefix, ok := strings.CutSuffix(definition.Name, "Format"); ok {
			problem.Hint = "Remove the marker. A pattern or a CEL rule can accept both formats."
			if _, other, _ := strings.Cut(markerText(comment), "="); strings.HasPrefix(value, "ipv") && strings.HasPrefix(other, "ipv") {
				problem.Hint = fmt.Sprintf("Remove the marker. To accept both formats, replace both markers by +%sXValidation:rule=\"isIP(self)\".", prefix)
			}
		}
		all = append(all, problem)
	}
	return all
}

// replaces reports whether a schema is the same with two different markers as with only the last one.
func (p *places) replaces(o origin, first, last *ast.Comment) bool {
	schema := func(typeName string, comments ...*ast.Comment) *apiextensionsv1.JSONSchemaProps {
		schema := &apiextensionsv1.JSONSchemaProps{Type: typeName}
		for _, comment := range comments {
			marker, ok := p.value(o.node, comment).(crd.SchemaMarker)
			if !ok || marker.ApplyToSchema(&crdmarkers.SchemaContext{Package: o.pkg}, schema) != nil {
				return nil
			}
		}
		return schema
	}
	for _, name := range schemaTypes {
		if with := schema(name, first, last); with != nil {
			without := schema(name, last)
			return reflect.DeepEqual(with, without) && !reflect.DeepEqual(schema(name, first), without)
		}
	}
	return false
}

// requirements lists the markers that make a field optional or required. The first one counts for
// controller-gen.
var requirements = []struct{ name, effect string }{
	{"kubebuilder:validation:Optional", "optional"}, {"kubebuilder:validation:Required", "required"},
	{"optional", "optional"}, {"k8s:optional", "optional"}, {"required", "required"}, {"k8s:required", "required"},
}

// saysRequired matches the comment of a field that objects must have.
var saysRequired = regexp.MustCompile(`(?i)(?:^|[.\n]\s*)(?:(?:(?:the|this) )?\w+ (?:field )?is )?required(?:\.|\n|$)`)

// requirement reports the markers of a field without effect because the field is optional or required by
// another one, and a comment that says required on an optional field.
func (p *places) requirement(pkg *loader.Package, field markers.FieldInfo, schema apiextensionsv1.JSONSchemaProps) []manifest.Finding {
	var all []manifest.Finding
	o := origin{pkg, field.RawField}
	counts, effect, at := "", "", p.nameOf(o)
	for _, r := range requirements {
		for _, comment := range p.commentsOf(pkg).of[o.node] {
			switch {
			case markerName(comment) != r.name || effect == r.effect:
			case counts == "":
				counts, effect, at = r.name, r.effect, p.marker(o, comment)
			default:
				all = append(all, manifest.Finding{
					Place: p.marker(o, comment), Severity: playground.SeverityWarning, Hint: "Remove one of the two markers.",
					Message: fmt.Sprintf("The marker has no effect, because controller-gen prefers +%s: the field is %s.", counts, effect),
				})
			}
		}
	}
	name, _ := jsonName(field)
	property, isProperty := schema.Properties[name]
	if len(all) > 0 || !isProperty || property.Default != nil || slices.Contains(schema.Required, name) || !saysRequired.MatchString(field.Doc) {
		return all
	}
	hint := "Add +required, or correct the comment."
	if counts != "" {
		hint = "Replace the marker by +required, or correct the comment."
	}
	return []manifest.Finding{{
		Place: at, Severity: playground.SeverityInfo, Hint: hint,
		Message: fmt.Sprintf("The comment says that %s is required, but the API server accepts an object without it.", field.Name),
	}}
}

// sameNames reports the fields of a struct with the name of an earlier one in JSON.
func (p *places) sameNames(ident crd.TypeIdent, info *markers.TypeInfo) []manifest.Finding {
	var all []manifest.Finding
	for i, field := range info.Fields {
		name, inline := jsonName(field)
		if first, ok := p.fieldsOf(info).byName[name]; ok && !inline && name != "" && first != i {
			all = append(all, manifest.Finding{
				Place: p.nameOf(origin{ident.Package, field.RawField}), Severity: playground.SeverityWarning, Hint: "Change the name in one of the JSON tags.",
				Message: fmt.Sprintf("%s and %s have the same JSON name, %s: the schema has only the last of them, and Go clients neither send nor read them.", info.Fields[first].Name, field.Name, name),
			})
		}
	}
	return all
}
