package gotypes

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// maxNodes limits the nodes of a schema. The largest CRDs of public operators need a tenth of it.
const maxNodes = 100_000

// tooLarge reports the innermost type of the packages whose schema would have more than maxNodes nodes.
// A schema repeats the schema of a type wherever the type occurs, so the nodes can double with each type.
// The syntax shows it: the type checker of Go visits each occurrence of a type, too.
func tooLarge(roots []*loader.Package, f *files) []manifest.Finding {
	c := nodeCount{roots: map[*loader.Package]bool{}, declared: map[*loader.Package]map[string]declaration{}, nodes: map[*ast.TypeSpec]int{}}
	for _, root := range roots {
		c.roots[root] = true
	}
	for _, root := range roots {
		for _, name := range slices.Sorted(maps.Keys(c.declarations(root))) {
			c.typeNodes(root, name)
		}
	}
	if c.largest == nil {
		return nil
	}
	name := c.largest.Name
	return []manifest.Finding{{
		Place: f.tokens(roots[0].Fset, name.Pos(), name.End()), Severity: playground.SeverityError,
		Message: fmt.Sprintf("The schema of %s would have more than %d nodes, because it repeats the schema of a type wherever the type occurs.", name.Name, maxNodes),
		Hint:    "Change the type of a field to apiextensionsv1.JSON.",
	}}
}

// A nodeCount counts the nodes of each type once.
type nodeCount struct {
	roots    map[*loader.Package]bool
	declared map[*loader.Package]map[string]declaration
	nodes    map[*ast.TypeSpec]int
	// largest is the first type with too many nodes, and thus the innermost.
	largest *ast.TypeSpec
}

// A declaration is a type with the packages that its file imports, by name.
type declaration struct {
	*ast.TypeSpec
	imports map[string]*loader.Package
}

// declarations returns the declarations of a package.
func (c *nodeCount) declarations(pkg *loader.Package) map[string]declaration {
	if known := c.declared[pkg]; known != nil {
		return known
	}
	pkg.NeedSyntax()
	all, imported := map[string]declaration{}, pkg.Imports()
	for _, file := range pkg.Syntax {
		imports := map[string]*loader.Package{}
		for _, spec := range file.Imports {
			at := imported[importedPath(spec)]
			switch {
			case at == nil:
			case spec.Name != nil:
				imports[spec.Name.Name] = at
			default:
				imports[at.Name], imports[path.Base(at.PkgPath)] = at, at
			}
		}
		for _, d := range file.Decls {
			if generic, ok := d.(*ast.GenDecl); ok {
				for _, spec := range generic.Specs {
					if declared, ok := spec.(*ast.TypeSpec); ok {
						all[declared.Name.Name] = declaration{declared, imports}
					}
				}
			}
		}
	}
	c.declared[pkg] = all
	return all
}

// typeNodes returns the nodes of a type, at most one above the limit. A type within itself has one.
func (c *nodeCount) typeNodes(pkg *loader.Package, name string) int {
	declared, ok := c.declarations(pkg)[name]
	if _, isKnown := crd.KnownPackages[loader.NonVendorPath(pkg.PkgPath)]; !ok || isKnown {
		return 1
	}
	if known, ok := c.nodes[declared.TypeSpec]; ok {
		return known
	}
	c.nodes[declared.TypeSpec] = 1
	nodes := 1
	var visit func(ast.Node) bool
	visit = func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncType, *ast.InterfaceType:
			return false
		case *ast.Field:
			// The type checker visits all fields of the packages; a schema has only those with a tag.
			tag, ok := loader.ParseAstTag(node.Tag).Lookup("json")
			for range max(1, len(node.Names)) {
				if c.roots[pkg] || ok && tag != "-" {
					ast.Inspect(node.Type, visit)
				}
			}
			return false
		case *ast.SelectorExpr:
			if from, ok := node.X.(*ast.Ident); ok && declared.imports[from.Name] != nil {
				nodes += c.typeNodes(declared.imports[from.Name], node.Sel.Name)
			}
			return false
		case *ast.Ident:
			nodes += c.typeNodes(pkg, node.Name)
		}
		return nodes <= maxNodes
	}
	ast.Inspect(declared.Type, visit)
	if nodes > maxNodes {
		nodes = maxNodes + 1
		if c.largest == nil {
			c.largest = declared.TypeSpec
		}
	}
	c.nodes[declared.TypeSpec] = nodes
	return nodes
}
