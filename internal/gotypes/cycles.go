package gotypes

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// cycles reports the types of CRDs that contain themselves. controller-tools generates an
// empty schema for the inner type.
func (p *places) cycles() []manifest.Finding {
	search := &cycleSearch{places: p, seen: map[crd.TypeIdent]bool{}}
	for _, ident := range p.kinds() {
		p.parser.NeedSchemaFor(ident)
		search.visit(ident, nil)
	}
	return search.problems
}

// kinds returns the types of the packages that become CRDs.
func (p *places) kinds() []crd.TypeIdent {
	metav1 := crd.FindMetav1(p.roots)
	if metav1 == nil {
		return nil
	}
	var all []crd.TypeIdent
	for _, kind := range crd.FindKubeKinds(p.parser, metav1) {
		for _, pkg := range p.roots {
			ident := crd.TypeIdent{Package: pkg, Name: kind.Kind}
			if p.parser.GroupVersions[pkg].Group == kind.Group && isKind(p.parser.Types[ident]) {
				all = append(all, ident)
			}
		}
	}
	return all
}

// isKind reports whether a type, which may be nil, embeds the metadata of kinds. A package without a group may have
// another type with the name of a kind.
func isKind(info *markers.TypeInfo) bool {
	return info != nil && slices.ContainsFunc(info.Fields, func(f markers.FieldInfo) bool {
		selector, ok := f.RawField.Type.(*ast.SelectorExpr)
		return ok && len(f.RawField.Names) == 0 && selector.Sel.Name == "ObjectMeta"
	})
}

// A cycleSearch follows the references of schemas, from each type only once.
type cycleSearch struct {
	*places
	seen     map[crd.TypeIdent]bool
	problems []manifest.Finding
}

// visit reports the cycles from a type. path has the types that lead to it.
func (s *cycleSearch) visit(ident crd.TypeIdent, path []crd.TypeIdent) {
	if i := slices.Index(path, ident); i >= 0 {
		s.problems = append(s.problems, s.cycle(path[i:]))
		return
	}
	if s.seen[ident] {
		return
	}
	s.seen[ident] = true
	path = append(slices.Clip(path), ident)
	schema := s.parser.Schemata[ident]
	for _, reference := range references(&schema) {
		if next, ok := s.referred(ident.Package, reference); ok {
			s.visit(next, path)
		}
	}
}

// referred returns the type of a reference in the schema of a type.
func (p *places) referred(pkg *loader.Package, reference string) (crd.TypeIdent, bool) {
	name, path, err := crd.RefParts(reference)
	if err != nil {
		return crd.TypeIdent{}, false
	}
	if path == "" {
		return crd.TypeIdent{Package: pkg, Name: name}, true
	}
	for ident := range p.parser.Schemata {
		if ident.Name == name && loader.NonVendorPath(ident.Package.PkgPath) == path {
			return ident, true
		}
	}
	return crd.TypeIdent{}, false
}

// references returns the references in a schema, each once.
func references(schema *apiextensionsv1.JSONSchemaProps) []string {
	var all []string
	crd.EditSchema(schema, visitor(func(s *apiextensionsv1.JSONSchemaProps) {
		if s != nil && s.Ref != nil {
			all = append(all, *s.Ref)
		}
	}))
	slices.Sort(all)
	return slices.Compact(all)
}

// A visitor is called for each schema within a schema.
type visitor func(*apiextensionsv1.JSONSchemaProps)

// Visit implements [crd.SchemaVisitor].
func (v visitor) Visit(schema *apiextensionsv1.JSONSchemaProps) crd.SchemaVisitor {
	v(schema)
	return v
}

// cycle returns the problem for types that contain each other.
func (p *places) cycle(path []crd.TypeIdent) manifest.Finding {
	var names []string
	for _, ident := range append(slices.Clip(path), path[0]) {
		names = append(names, ident.Name)
	}
	problem := manifest.Finding{
		Severity: playground.SeverityWarning,
		Message: fmt.Sprintf("The type %s contains itself: %s. A schema cannot be recursive, so controller-gen generates an empty schema for the inner %s.",
			path[0].Name, strings.Join(names, " → "), path[0].Name),
		Hint: "Mark the field with +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields, or change its type to apiextensionsv1.JSON.",
	}
	if info := p.parser.Types[path[0]]; info != nil {
		problem.Place = p.nameOf(origin{path[0].Package, info.RawSpec})
	}
	return problem
}
