package gotypes

import (
	"go/types"
	"strconv"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// foreignFields maps the lines of the fields in imported structs, as PATH:LINE, to the fields whose types
// lead there.
type foreignFields map[string][]*foreignField

type foreignField struct {
	place manifest.Place
	// name is the name of the imported type, such as url.URL.
	name     string
	reported bool
}

// explainForeign replaces the errors of controller-tools in structs that a field imports by one at the
// field, because their source is not the user's.
func (p *places) explainForeign(problems []manifest.Finding) []manifest.Finding {
	own := map[*manifest.File]bool{}
	for _, root := range p.roots {
		for _, path := range root.GoFiles {
			own[p.files.file(path)] = true
		}
	}
	var fields foreignFields
	var all []manifest.Finding
	for _, problem := range problems {
		if raw := p.rawMessages(problem); len(raw) > 0 {
			all = append(all, raw...)
			continue
		}
		if own[problem.File] {
			all = append(all, problem)
			continue
		}
		if fields == nil {
			fields = p.foreignFields()
		}
		using := fields[lineKey(problem.Path(), problem.Range.Start.Line)]
		if len(using) == 0 {
			all = append(all, problem)
		}
		for _, of := range using {
			if !of.reported {
				of.reported = true
				all = append(all, manifest.Finding{
					Place: of.place, Severity: playground.SeverityError,
					Message: of.name + " cannot be part of a CRD: " + problem.Message,
					Hint:    "Use another type for this field, such as string, or a struct of your own with JSON tags.",
				})
			}
		}
	}
	return all
}

// rawMessages returns an error of controller-tools for each field of the type json.RawMessage, which
// it takes for a string and a list of bytes.
func (p *places) rawMessages(problem manifest.Finding) (all []manifest.Finding) {
	if !strings.HasPrefix(problem.Message, "conflicting types in allOf branches in schema: string vs array") {
		return nil
	}
	for ident, info := range p.parser.Types {
		if !p.isRoot(ident.Package) {
			continue
		}
		for _, field := range info.Fields {
			t := types.Unalias(typeOf(ident.Package, field.RawField.Type))
			if pointer, ok := t.(*types.Pointer); ok {
				t = pointer.Elem()
			}
			if t.String() != "encoding/json.RawMessage" || field.Markers.Get("kubebuilder:validation:Schemaless") != nil {
				continue
			}
			all = append(all, manifest.Finding{
				Place: p.nameOf(origin{ident.Package, field.RawField}), Severity: playground.SeverityError,
				Message: "json.RawMessage cannot be part of a CRD: " + problem.Message,
				Hint:    "Use apiextensionsv1.JSON for any value or runtime.RawExtension for an object. Or add +kubebuilder:validation:Schemaless and +kubebuilder:pruning:PreserveUnknownFields.",
			})
		}
	}
	return all
}

func lineKey(path string, line int) string { return path + ":" + strconv.Itoa(line) }

func (p *places) foreignFields() foreignFields {
	fields := foreignFields{}
	for ident, info := range p.parser.Types {
		if !p.isRoot(ident.Package) {
			continue
		}
		for _, field := range info.Fields {
			of := &foreignField{place: p.nameOf(origin{ident.Package, field.RawField})}
			fields.add(ident.Package, typeOf(ident.Package, field.RawField.Type), of, map[types.Type]bool{})
		}
	}
	return fields
}

// add adds the lines of the fields of the imported structs in a type.
func (f foreignFields) add(pkg *loader.Package, t types.Type, of *foreignField, seen map[types.Type]bool) {
	t = types.Unalias(t)
	if seen[t] {
		return
	}
	seen[t] = true
	switch t := t.(type) {
	case interface{ Elem() types.Type }:
		f.add(pkg, t.Elem(), of, seen)
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
		for i := 0; of.name != "" && i < t.NumFields(); i++ {
			field := t.Field(i)
			at := pkg.Fset.Position(field.Pos())
			key := lineKey(at.Filename, at.Line-1)
			f[key] = append(f[key], of)
			f.add(pkg, field.Type(), of, seen)
		}
	}
}
