package gotypes

import (
	"fmt"
	"go/types"
	"slices"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/playground"
)

// A line is a line of a file.
type line struct {
	path string
	line int
}

// foreignFields maps the lines of the fields in imported structs to the fields whose types lead there.
type foreignFields map[line][]foreignField

type foreignField struct {
	place Place
	// name is that of the imported type, such as url.URL.
	name string
}

// explainForeign replaces the errors of controller-tools in structs that a field imports by one at the
// field, because their source is not the user's.
func (p *places) explainForeign(problems []Problem) []Problem {
	isForeign := func(problem Problem) bool {
		return !slices.ContainsFunc(p.roots, func(root *loader.Package) bool { return slices.Contains(root.GoFiles, problem.Path) })
	}
	if !slices.ContainsFunc(problems, isForeign) {
		return problems
	}
	fields := foreignFields{}
	for ident, info := range p.parser.Types {
		if !p.isRoot(ident.Package) {
			continue
		}
		for _, field := range info.Fields {
			place := p.nameOf(origin{ident.Package, field.RawField})
			fields.add(ident.Package, typeOf(ident.Package, field.RawField.Type), foreignField{place: place}, map[types.Type]bool{})
		}
	}
	reported := map[foreignField]bool{}
	var all []Problem
	for _, problem := range problems {
		using := fields[line{problem.Path, problem.Range.Start.Line}]
		if len(using) == 0 {
			all = append(all, problem)
		}
		for _, of := range using {
			if reported[of] {
				continue
			}
			reported[of] = true
			all = append(all, Problem{
				Place: of.place, Severity: playground.SeverityError,
				Message: fmt.Sprintf("%s cannot be part of a CRD: %s", of.name, problem.Message),
				Hint:    "Use another type for this field, such as string, or a struct of your own with JSON tags.",
			})
		}
	}
	return all
}

// add adds the lines of the fields of the imported structs in a type.
func (f foreignFields) add(pkg *loader.Package, t types.Type, of foreignField, seen map[types.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case interface{ Elem() types.Type }:
		f.add(pkg, t.Elem(), of, seen)
	case *types.Alias:
		f.add(pkg, types.Unalias(t), of, seen)
	case *types.Named:
		object := t.Obj()
		if object.Pkg() == nil || object.Pkg() == pkg.Types {
			return
		}
		if of.name == "" {
			of.name = object.Pkg().Name() + "." + object.Name()
		}
		f.add(pkg, t.Underlying(), of, seen)
	case *types.Struct:
		for field := range t.Fields() {
			at := pkg.Fset.Position(field.Pos())
			if key := (line{at.Filename, at.Line - 1}); of.name != "" {
				f[key] = append(f[key], of)
			}
			f.add(pkg, field.Type(), of, seen)
		}
	}
}
