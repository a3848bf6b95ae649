package gotypes

import (
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/crdlab/crdlab/internal/manifest"
)

// A refusal is a marker that controller-tools may refuse to apply to a schema.
type refusal struct {
	crd.SchemaMarker
	origin
	// name is the marker's name.
	name string
	// expr is the type that the marker describes: the type of the items for a marker with the prefix items:.
	expr ast.Expr
}

// explainRefused moves the errors of controller-tools about a marker that does not fit a type to the
// marker. controller-tools knows no schema of some named types there.
func (p *places) explainRefused(problems []manifest.Finding) []manifest.Finding {
	if len(problems) == 0 {
		return problems
	}
	p.eachMarker(func(o origin, comment *ast.Comment) {
		r, ok := p.refusalOf(o, comment)
		if !ok {
			return
		}
		at := o.node.Pos()
		if spec, isType := o.node.(*ast.TypeSpec); isType {
			at = spec.Type.Pos()
		}
		place := p.files.tokens(o.pkg.Fset, at, at)
		for i, problem := range problems {
			if problem.Path() == place.Path() && problem.Range.Start == place.Range.Start && r.explains(problem.Message) {
				problems[i].Place, problems[i].Hint = p.marker(o, comment), p.refusedHint(r, markerText(comment))
			}
		}
	})
	return problems
}

// refusalOf returns the refusal for a marker of a field or type. It reports false for a marker that does not
// apply to schemas.
func (p *places) refusalOf(o origin, comment *ast.Comment) (r refusal, ok bool) {
	marker, ok := p.value(o.node, comment).(crd.SchemaMarker)
	if !ok {
		return r, false
	}
	name := p.registry.Lookup(markerText(comment), target(o.node)).Name
	switch node := o.node.(type) {
	case *ast.Field:
		return refusal{marker, o, name, subject(name, node.Type)}, true
	case *ast.TypeSpec:
		return refusal{marker, o, name, subject(name, node.Type)}, true
	}
	return r, false
}

// subject returns the type that a marker on an expression describes.
func subject(name string, expr ast.Expr) ast.Expr {
	if list, ok := expr.(*ast.ArrayType); ok && strings.HasPrefix(name, crdmarkers.ValidationItemsPrefix) {
		return list.Elt
	}
	return expr
}

// apply returns the error for a schema with a type, which may be empty.
func (r refusal) apply(typeName string) error {
	return r.ApplyToSchema(&crdmarkers.SchemaContext{Package: r.pkg}, &apiextensionsv1.JSONSchemaProps{Type: typeName})
}

// explains reports whether a message is an error of the marker for its type, or for no type.
func (r refusal) explains(message string) bool {
	stated, _ := schemaType(typeOf(r.pkg, r.expr))
	return slices.ContainsFunc([]string{"", stated}, func(typeName string) bool {
		err := r.apply(typeName)
		return err != nil && err.Error() == message
	})
}

// refusedHint explains a marker that controller-tools refuses. Stating the type helps if the marker
// applies to it.
func (p *places) refusedHint(r refusal, text string) string {
	isSame := func(other *ast.Comment) bool { return markerText(other) == text }
	for _, other := range p.resolved(site{pkg: r.pkg, expr: r.expr}).origins {
		if slices.ContainsFunc(p.commentsOf(other.pkg).of[other.node], isSame) {
			return fmt.Sprintf("Remove the marker: the type %s has it.", types.ExprString(r.expr))
		}
	}
	stated, ok := schemaType(typeOf(r.pkg, r.expr))
	switch {
	case !ok:
		return "" // The error of the field explains it.
	case r.apply(stated) != nil:
		return r.misfit(stated)
	}
	prefix, _ := r.split()
	return fmt.Sprintf("controller-gen does not know the type here. Add +kubebuilder:validation:%sType=%s.", prefix, stated)
}

// split returns the name of a validation without its prefix: "items:" and "MaxLength".
func (r refusal) split() (prefix, name string) {
	name = r.name[strings.LastIndexByte(r.name, ':')+1:]
	if strings.HasPrefix(r.name, crdmarkers.ValidationItemsPrefix) {
		prefix = "items:"
	}
	return prefix, name
}

// misfit returns the hint for a marker that does not apply to values of a type.
func (r refusal) misfit(stated string) string {
	_, isKey := r.SchemaMarker.(crdmarkers.ListMapKey)
	_, isList := r.SchemaMarker.(crdmarkers.ListType)
	_, isType := r.node.(*ast.TypeSpec)
	switch {
	case isKey && stated == "array":
		return "Add +listType=map."
	case (isKey || isList) && isType && stated == "object":
		return fmt.Sprintf("Move +%s to the field that holds the list.", r.name)
	case stated == "integer" && r.apply("number") == nil:
		return "Write an integer."
	case !isKey && !slices.ContainsFunc(schemaTypes, func(name string) bool { return r.apply(name) == nil }):
		return "" // The value is wrong, and the error says so.
	}
	if instead := r.alternatives(stated); len(instead) > 0 {
		return "Use " + strings.Join(instead, ", or ") + "."
	}
	return fmt.Sprintf("Remove the marker: it does not apply to the type %s.", types.ExprString(r.expr))
}

// bounds has the ends of the names of the markers that limit values, by the type of the values.
var bounds = map[string]struct{ end, values string }{
	"string": {"Length", "the string"}, "array": {"Items", "the list"},
	"object": {"Properties", "the map"}, "integer": {"imum", "the number"},
}

// alternatives lists the markers that apply to values of a type: "MaxItems for the list".
func (r refusal) alternatives(stated string) (all []string) {
	prefix, name := r.split()
	t := typeOf(r.pkg, r.expr).Underlying()
	_, isStruct := t.(*types.Struct)
	bound, ok := bounds[stated]
	for _, limit := range []string{"Min", "Max"} {
		if ok && !isStruct && strings.HasPrefix(name, limit) {
			all = append(all, prefix+limit+bound.end+" for "+bound.values)
		}
	}
	if list, ok := t.(*types.Slice); ok && prefix == "" && r.appliesTo(list.Elem()) {
		items := " for the items of the list"
		if len(all) > 0 {
			items = " for its items"
		}
		all = append(all, "items:"+name+items)
	}
	return all
}

// appliesTo reports whether the marker applies to values of a type, and exists for the items of a list.
func (r refusal) appliesTo(t types.Type) bool {
	if pointer, ok := t.Underlying().(*types.Pointer); ok {
		t = pointer.Elem()
	}
	name, ok := schemaType(t)
	return ok && strings.HasPrefix(r.name, "kubebuilder:validation:") && r.apply(name) == nil
}
