package gotypes

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/crdlab/crdlab/internal/manifest"
)

// places finds the Go source of the parts of generated CRDs.
type places struct {
	files    *files
	roots    []*loader.Package
	registry *markers.Registry
	// parser knows the types of the packages. It shares the type checker with the generator.
	parser *crd.Parser
	// comments holds the marker comments of the types and fields in a package.
	comments map[*loader.Package]*comments
	fields   map[*markers.TypeInfo]*fields
}

func newPlaces(context *genall.GenerationContext, f *files, o Options) *places {
	isSet := func(option *bool) bool { return option != nil && *option }
	p := &places{
		files: f, roots: context.Roots, registry: context.Collector.Registry,
		parser: &crd.Parser{
			Collector: context.Collector, Checker: context.Checker,
			AllowDangerousTypes:        isSet(o.generator.AllowDangerousTypes),
			IgnoreUnexportedFields:     isSet(o.generator.IgnoreUnexportedFields),
			GenerateEmbeddedObjectMeta: isSet(o.generator.GenerateEmbeddedObjectMeta),
		},
		comments: map[*loader.Package]*comments{},
		fields:   map[*markers.TypeInfo]*fields{},
	}
	crd.AddKnownTypes(p.parser)
	return p
}

// A site is the Go source of a schema node.
type site struct {
	pkg  *loader.Package
	expr ast.Expr
	// info is the declaration whose type is expr; nil if expr has no name.
	info *markers.TypeInfo
	// origins holds the field, and the named types that its type refers to.
	origins []origin
}

// An origin is a field or a type with markers for a schema node.
type origin struct {
	pkg  *loader.Package
	node ast.Node // an *ast.Field, an *ast.TypeSpec, or nil for the package
}

// root returns the site of a kind in a version.
func (p *places) root(group, version, kind string) (site, bool) {
	for _, pkg := range p.roots {
		if gv := p.parser.GroupVersions[pkg]; gv.Group != group || gv.Version != version {
			continue
		}
		if s, ok := p.named(pkg, kind, nil); ok {
			return s, true
		}
	}
	return site{}, false
}

// named returns the site of a type in a package. origins are the places that refer to it.
func (p *places) named(pkg *loader.Package, name string, origins []origin) (site, bool) {
	info := p.parser.Types[crd.TypeIdent{Package: pkg, Name: name}]
	if info == nil {
		return site{}, false
	}
	origins = append(slices.Clip(origins), origin{pkg, info.RawSpec})
	return p.resolved(site{pkg, info.RawSpec.Type, info, origins}), true
}

// resolved follows pointers and the names of types. It stops at types that are not declared
// in Go files that controller-tools reads.
func (p *places) resolved(s site) site {
	for {
		var name *ast.Ident
		switch expr := s.expr.(type) {
		case *ast.ParenExpr:
			s.expr, s.info = expr.X, nil
			continue
		case *ast.StarExpr:
			s.expr, s.info = expr.X, nil
			continue
		case *ast.Ident:
			name = expr
		case *ast.SelectorExpr:
			name = expr.Sel
		default:
			return s
		}
		pkg, declared := p.declaration(s.pkg, name)
		if pkg == nil {
			return s
		}
		info := p.parser.Types[crd.TypeIdent{Package: pkg, Name: declared}]
		if info == nil || len(s.origins) > maxOrigins {
			return s
		}
		s = site{pkg, info.RawSpec.Type, info, append(slices.Clip(s.origins), origin{pkg, info.RawSpec})}
	}
}

// maxOrigins bounds the names that a type may pass through: "type A B; type B A".
const maxOrigins = 100

// declaration returns the package and the name of the type that an identifier means; nil for
// types of the language and unknown types.
func (p *places) declaration(pkg *loader.Package, name *ast.Ident) (*loader.Package, string) {
	pkg.NeedTypesInfo()
	object, ok := pkg.TypesInfo.Uses[name].(*types.TypeName)
	if !ok || object.Pkg() == nil {
		return nil, ""
	}
	if object.Pkg() == pkg.Types {
		return pkg, object.Name()
	}
	imported := pkg.Imports()[loader.NonVendorPath(object.Pkg().Path())]
	if imported == nil || p.isKnown(imported) {
		return nil, ""
	}
	p.parser.NeedPackage(imported)
	return imported, object.Name()
}

// isKnown reports whether controller-tools has schemas for the types of a package.
func (p *places) isKnown(pkg *loader.Package) bool {
	_, known := crd.KnownPackages[loader.NonVendorPath(pkg.PkgPath)]
	return known
}

// property returns the site of a property of a struct.
func (p *places) property(s site, name string) (site, bool) {
	if s.info == nil {
		return site{}, false
	}
	below := func(i int) site {
		field := s.info.Fields[i].RawField
		return p.resolved(site{pkg: s.pkg, expr: field.Type, origins: []origin{{s.pkg, field}}})
	}
	fields := p.fieldsOf(s.info)
	named, ok := fields.byName[name]
	for _, i := range fields.inline {
		if ok && named < i {
			break
		}
		if found, ok := p.property(below(i), name); ok {
			return found, true
		}
	}
	if !ok {
		return site{}, false
	}
	return below(named), true
}

// fields has the positions of the fields of a struct: the first with a name in JSON, and the
// inline ones.
type fields struct {
	byName map[string]int
	inline []int
}

func (p *places) fieldsOf(info *markers.TypeInfo) *fields {
	if known := p.fields[info]; known != nil {
		return known
	}
	all := &fields{byName: map[string]int{}}
	for i, field := range info.Fields {
		name, inline := jsonName(field)
		if _, ok := all.byName[name]; inline {
			all.inline = append(all.inline, i)
		} else if !ok {
			all.byName[name] = i
		}
	}
	p.fields[info] = all
	return all
}

// jsonName returns the name of a field in JSON, by the rules of controller-tools: a field
// without a name is inline. The name of a field that is not part of the JSON is empty.
func jsonName(field markers.FieldInfo) (name string, inline bool) {
	tag, ok := field.Tag.Lookup("json")
	if !ok || tag == "-" {
		return "", false
	}
	name, options, _ := strings.Cut(tag, ",")
	return name, name == "" || hasOption(options, "inline")
}

// hasOption reports whether the options of a JSON tag contain an option.
func hasOption(options, option string) bool {
	return slices.Contains(strings.Split(options, ","), option)
}

// element returns the site of the items of a list or the values of a map.
func (p *places) element(s site) (site, bool) {
	var expr ast.Expr
	switch of := s.expr.(type) {
	case *ast.ArrayType:
		expr = of.Elt
	case *ast.MapType:
		expr = of.Value
	default:
		return site{}, false
	}
	return p.resolved(site{pkg: s.pkg, expr: expr, origins: s.origins}), true
}

// at returns the site at the end of a schema path, or of the nearest schema node above. rest
// is the part of the path below it.
func (p *places) at(s site, path []any) (found site, rest []any) {
	for len(path) > 0 {
		var below site
		ok, steps := false, 1
		switch path[0] {
		case "properties":
			if len(path) > 1 {
				name, _ := path[1].(string)
				below, ok = p.property(s, name)
				steps = 2
			}
		case "items", "additionalProperties":
			below, ok = p.element(s)
		}
		if !ok {
			break
		}
		s, path = below, path[steps:]
	}
	return s, path
}

// nameOf locates the name of a field or type.
func (p *places) nameOf(o origin) manifest.Place {
	start, end := o.node.Pos(), o.node.End()
	switch node := o.node.(type) {
	case *ast.TypeSpec:
		start, end = node.Name.Pos(), node.Name.End()
	case *ast.Field:
		if len(node.Names) > 0 {
			start, end = node.Names[0].Pos(), node.Names[0].End()
		}
	}
	return p.files.tokens(o.pkg.Fset, start, end)
}

// isRoot reports whether a package is named by the user.
func (p *places) isRoot(pkg *loader.Package) bool {
	return slices.Contains(p.roots, pkg)
}

// marker locates a marker without the slashes before it.
func (p *places) marker(o origin, comment *ast.Comment) manifest.Place {
	return p.tokenRange(o, comment, strings.IndexByte(comment.Text, '+'), len(strings.TrimRight(comment.Text, " \t\r")))
}

// tokenRange locates a comment or a part of it. Offsets count the bytes of the comment.
func (p *places) tokenRange(o origin, comment *ast.Comment, start, end int) manifest.Place {
	return p.files.tokens(o.pkg.Fset, comment.Pos()+token.Pos(start), comment.Pos()+token.Pos(end))
}
