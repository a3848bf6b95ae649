package gotypes

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// An unknownPackage is imported, but is neither known nor in the tree.
type unknownPackage struct {
	*packages.Package
	// types holds the used types: whether each is the key of a map, and thus a string.
	types map[string]bool
	uses  []use
}

// A use is a field, or a type that is no struct, whose type is in an unknown package.
type use struct {
	imported *ast.ImportSpec
	// importer and typeName identify the type that is declared.
	importer *packages.Package
	typeName string
	// text is such as "CronTabSpec.Level (logr.Level)".
	text string
}

// addUnknown returns the package for an import of an unknown package in a file.
func (s *sources) addUnknown(importer *packages.Package, file *ast.File, spec *ast.ImportSpec) *packages.Package {
	importPath := importedPath(spec)
	unknown := s.unknown[importPath]
	if unknown == nil {
		unknown = &unknownPackage{s.add(importPath), map[string]bool{}, nil}
		unknown.Name = guessName(importPath, file)
		s.unknown[importPath] = unknown
	}
	name := unknown.Name
	if spec.Name != nil {
		name = spec.Name.Name
	}
	eachSelector(file, func(typeName, field string, selector *ast.SelectorExpr, isKey bool) {
		if selector.X.(*ast.Ident).Name != name { //nolint:forcetypeassert // eachSelector visits only names of packages.
			return
		}
		unknown.types[selector.Sel.Name] = unknown.types[selector.Sel.Name] || isKey
		text := fmt.Sprintf("%s (%s.%s)", strings.TrimSuffix(typeName+"."+field, "."), name, selector.Sel.Name)
		unknown.uses = append(unknown.uses, use{spec, importer, typeName, text})
	})
	return unknown.Package
}

// guessName returns the name of a package that a file imports without a name: a name within
// the end of its path that the file uses, otherwise the last element of the path.
func guessName(importPath string, file *ast.File) string {
	base := path.Base(importPath)
	end := path.Join(path.Base(path.Dir(importPath)), base)
	guess := ""
	eachSelector(file, func(_, _ string, selector *ast.SelectorExpr, _ bool) {
		name := selector.X.(*ast.Ident).Name //nolint:forcetypeassert // eachSelector visits only names of packages.
		isOther := slices.ContainsFunc(file.Imports, func(other *ast.ImportSpec) bool {
			return other.Name != nil && other.Name.Name == name || other.Name == nil && importedPath(other) != importPath && path.Base(importedPath(other)) == name
		})
		if guess != base && !isOther && strings.Contains(end, name) {
			guess = name
		}
	})
	if guess = cmp.Or(guess, base); token.IsIdentifier(guess) {
		return guess
	}
	return "unknown" // The file uses no type of the package.
}

// eachSelector calls a function for each type "package.Name" in the declarations of types in a file.
// field is empty outside of structs. isKey tells whether the type is the key of a map.
func eachSelector(file *ast.File, visit func(typeName, field string, selector *ast.SelectorExpr, isKey bool)) {
	for _, declaration := range file.Decls {
		generic, ok := declaration.(*ast.GenDecl)
		if !ok || generic.Tok != token.TYPE {
			continue
		}
		for _, spec := range generic.Specs {
			spec := spec.(*ast.TypeSpec) //nolint:forcetypeassert // The token of the declaration is TYPE.
			structure, ok := spec.Type.(*ast.StructType)
			if !ok {
				selectors(spec.Type, func(selector *ast.SelectorExpr, isKey bool) { visit(spec.Name.Name, "", selector, isKey) })
				continue
			}
			for _, field := range structure.Fields.List {
				if field.Tag != nil && loader.ParseAstTag(field.Tag).Get("json") == "-" {
					continue
				}
				selectors(field.Type, func(selector *ast.SelectorExpr, isKey bool) {
					name := selector.Sel.Name // an embedded type
					if len(field.Names) > 0 {
						name = field.Names[0].Name
					}
					visit(spec.Name.Name, name, selector, isKey)
				})
			}
		}
	}
}

// selectors calls a function for each type "package.Name" in a type.
func selectors(expr ast.Expr, visit func(selector *ast.SelectorExpr, isKey bool)) {
	keys := map[ast.Node]bool{}
	ast.Inspect(expr, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.MapType:
			keys[node.Key] = true
		case *ast.SelectorExpr:
			if _, ok := node.X.(*ast.Ident); ok {
				visit(node, keys[node])
			}
			return false
		}
		return true
	})
}

// declareUnknown declares the used types of unknown packages. Their schemas accept any value.
func (s *sources) declareUnknown() error {
	for importPath, unknown := range s.unknown {
		var text strings.Builder
		text.WriteString("package " + unknown.Name + "\n")
		for _, name := range slices.Sorted(maps.Keys(unknown.types)) {
			underlying := "struct{}"
			if unknown.types[name] {
				underlying = "string"
			}
			text.WriteString("\n// +kubebuilder:validation:Type=\"\"\n// +kubebuilder:pruning:PreserveUnknownFields\ntype " + name + " " + underlying + "\n")
		}
		if !s.parse(unknown.Package, importPath+"/unknown.go", []byte(text.String())) {
			return errors.New("cannot declare the types of " + importPath + ": " + unknown.Errors[0].Msg)
		}
	}
	return nil
}

// unknownProblems returns a problem for each import of an unknown package whose types a CRD
// needs.
func (s *sources) unknownProblems(p *places) []manifest.Finding {
	needed := map[string]bool{}
	for ident := range p.parser.Schemata {
		needed[ident.Package.PkgPath+"."+ident.Name] = true
	}
	var all []manifest.Finding
	for _, importPath := range slices.Sorted(maps.Keys(s.unknown)) {
		byImport := map[*ast.ImportSpec][]string{}
		for _, use := range s.unknown[importPath].uses {
			if needed[use.importer.PkgPath+"."+use.typeName] {
				byImport[use.imported] = append(byImport[use.imported], use.text)
			}
		}
		hint := "The go command, if it is installed, finds all packages."
		if similar := nearest(importPath); len(similar) > 0 {
			hint = fmt.Sprintf("The nearest known packages are %s. %s", strings.Join(similar, ", "), hint)
		}
		for spec, texts := range byImport {
			all = append(all, manifest.Finding{
				Place: p.files.tokens(s.fset, spec.Path.Pos(), spec.Path.End()), Severity: playground.SeverityWarning,
				Message: fmt.Sprintf("The package %s is unknown without the go command, so the schema accepts any value here: %s.", importPath, strings.Join(texts, ", ")),
				Hint:    hint,
			})
		}
	}
	return all
}
