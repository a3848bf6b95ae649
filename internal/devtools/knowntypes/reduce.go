package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// reduce returns the files of packages without what CRDs do not need.
func reduce(roots []root) ([]txtar.File, error) {
	registry := &markers.Registry{}
	if err := crdmarkers.Register(registry); err != nil {
		return nil, err
	}
	paths := make([]string, len(roots))
	for i, root := range roots {
		paths[i] = root.path
	}
	fset := token.NewFileSet()
	loaded, err := loader.LoadRootsWithConfig(&packages.Config{Fset: fset}, paths...)
	if err != nil {
		return nil, err
	}
	r := &reducer{fset, map[string]*declared{}}
	for i, root := range roots {
		at := slices.IndexFunc(loaded, func(p *loader.Package) bool { return p.PkgPath == root.path })
		if at < 0 || len(loaded[at].Errors) > 0 {
			return nil, fmt.Errorf("%s: not found", paths[i])
		}
		p := r.declared(loaded[at])
		names := root.types
		if names == nil {
			names = p.exportedTypes()
		}
		for _, name := range names {
			if p.of[name] == nil {
				return nil, fmt.Errorf("%s has no type %s", root.path, name)
			}
			r.need(p, name)
		}
	}
	var files []txtar.File
	for _, p := range r.packages {
		for _, file := range p.Syntax {
			text, err := p.text(file, r.fset)
			if err != nil {
				return nil, err
			}
			if text != nil {
				if text, err = format.Source(withoutForeignMarkers(text, registry)); err != nil {
					return nil, err
				}
				name := p.PkgPath + "/" + filepath.Base(r.fset.Position(file.Pos()).Filename)
				files = append(files, txtar.File{Name: name, Data: text})
			}
		}
	}
	slices.SortFunc(files, func(a, b txtar.File) int { return cmp.Compare(a.Name, b.Name) })
	return files, nil
}

// A reducer marks the declarations that types need.
type reducer struct {
	fset     *token.FileSet
	packages map[string]*declared
}

// declared is a package with its declarations by name.
type declared struct {
	*loader.Package
	of      map[string]*ast.GenDecl
	in      map[string]*ast.File
	methods map[string][]*ast.FuncDecl
	// values lists a constant of each declaration with constants of a type.
	values  map[string][]string
	needed  map[ast.Decl]bool
	emptied []*ast.FieldList // the methods of interfaces
}

func (r *reducer) declared(pkg *loader.Package) *declared {
	if known := r.packages[pkg.PkgPath]; known != nil {
		return known
	}
	pkg.NeedSyntax()
	p := &declared{pkg, map[string]*ast.GenDecl{}, map[string]*ast.File{}, map[string][]*ast.FuncDecl{}, map[string][]string{}, map[ast.Decl]bool{}, nil}
	r.packages[pkg.PkgPath] = p
	for _, file := range pkg.Syntax {
		for _, declaration := range file.Decls {
			p.add(file, declaration)
		}
	}
	return p
}

func (p *declared) add(file *ast.File, declaration ast.Decl) {
	switch declaration := declaration.(type) {
	case *ast.FuncDecl:
		if name := declaration.Name.Name; declaration.Recv != nil && (name == "MarshalJSON" || name == "MarshalText") {
			receiver := declaration.Recv.List[0].Type
			if pointer, ok := receiver.(*ast.StarExpr); ok {
				receiver = pointer.X
			}
			if base, ok := receiver.(*ast.Ident); ok {
				p.methods[base.Name] = append(p.methods[base.Name], declaration)
			}
		}
	case *ast.GenDecl:
		for _, spec := range declaration.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				p.of[spec.Name.Name], p.in[spec.Name.Name] = declaration, file
			case *ast.ValueSpec:
				if declaration.Tok != token.CONST {
					continue
				}
				for _, name := range spec.Names {
					p.of[name.Name], p.in[name.Name] = declaration, file
				}
				if of, ok := spec.Type.(*ast.Ident); ok {
					p.values[of.Name] = append(p.values[of.Name], spec.Names[0].Name)
				}
			}
		}
	}
}

// requests matches the types that are part of requests and their responses, not of objects.
var requests = regexp.MustCompile(`(List|Options|Interface|Accessor|Review|Expansion)$|^(API|Table|WatchEvent|PartialObject)`)

// exportedTypes returns the types of a package that objects use.
func (p *declared) exportedTypes() []string {
	var names []string
	for name, declaration := range p.of {
		if declaration.Tok == token.TYPE && ast.IsExported(name) && !requests.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// need marks a declaration and its dependencies.
func (r *reducer) need(p *declared, name string) {
	declaration := p.of[name]
	if declaration == nil || p.needed[declaration] {
		return // A declaration that is already marked, or a name of the language.
	}
	p.needed[declaration] = true
	for _, method := range p.methods[name] {
		p.needed[method] = true
	}
	if strings.Contains(declaration.Doc.Text(), "+"+crdmarkers.K8sEnumTag) { // The constants are the permitted values.
		for _, value := range p.values[name] {
			r.need(p, value)
		}
	}
	r.needIn(p, p.in[name], declaration)
}

// needIn marks the declarations that a node in a file refers to. It removes the methods of
// interfaces, which have no schema, and the tags for other encodings.
func (r *reducer) needIn(p *declared, file *ast.File, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.InterfaceType:
			p.emptied = append(p.emptied, n.Methods)
			n.Methods = &ast.FieldList{Opening: n.Methods.Opening, Closing: n.Methods.Opening}
			return false
		case *ast.Field:
			n.Tag = jsonTag(n.Tag)
			r.needIn(p, file, n.Type)
			return false
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok {
				if imported := p.imported(file, x.Name); imported != nil {
					r.need(r.declared(imported), n.Sel.Name)
				}
			}
			return false
		case *ast.Ident:
			r.need(p, n.Name)
		}
		return true
	})
}

// imported returns the package that a name means in a file.
func (p *declared) imported(file *ast.File, name string) *loader.Package {
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		imported := p.Imports()[path]
		if imported != nil && (spec.Name == nil && imported.Name == name || spec.Name != nil && spec.Name.Name == name) {
			return imported
		}
	}
	return nil
}

// jsonTag reduces the tag of a field to JSON.
func jsonTag(tag *ast.BasicLit) *ast.BasicLit {
	if tag == nil {
		return nil
	}
	text, _ := strconv.Unquote(tag.Value)
	value, ok := reflect.StructTag(text).Lookup("json")
	if !ok {
		return nil
	}
	return &ast.BasicLit{ValuePos: tag.ValuePos, Kind: token.STRING, Value: "`json:" + strconv.Quote(value) + "`"}
}

// text formats the needed declarations of a file with their comments, or nil.
func (p *declared) text(file *ast.File, fset *token.FileSet) ([]byte, error) {
	var kept []ast.Decl
	var comments []*ast.CommentGroup
	after := file.Name.End()
	used := map[string]bool{}
	for _, declaration := range file.Decls {
		if !p.reduceDeclaration(declaration) {
			after = declaration.End()
			continue
		}
		kept = append(kept, declaration)
		for _, group := range file.Comments {
			if group.Pos() > after && group.End() <= declaration.End() && p.keeps(declaration, group) {
				comments = append(comments, group)
			}
		}
		after = declaration.End()
		ast.Inspect(declaration, func(n ast.Node) bool {
			if selector, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := selector.X.(*ast.Ident); ok {
					used[x.Name] = true
				}
			}
			return true
		})
	}
	if len(kept) == 0 {
		return nil, nil
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "package %s\n\n", file.Name.Name)
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		imported := p.Imports()[path]
		if imported == nil {
			continue
		}
		switch {
		case spec.Name != nil && used[spec.Name.Name]:
			fmt.Fprintf(&text, "import %s %s\n", spec.Name.Name, spec.Path.Value)
		case spec.Name == nil && used[imported.Name]:
			fmt.Fprintf(&text, "import %s\n", spec.Path.Value)
		}
	}
	var body bytes.Buffer
	reduced := &ast.File{Package: file.Package, Name: file.Name, Decls: kept, Comments: comments}
	if err := format.Node(&body, fset, reduced); err != nil {
		return nil, err
	}
	_, declarations, _ := strings.Cut(body.String(), "\n")
	text.WriteString(declarations)
	return text.Bytes(), nil
}

// keeps reports whether the reduced declaration has a comment group of the original.
func (p *declared) keeps(declaration ast.Decl, group *ast.CommentGroup) bool {
	_, isMethod := declaration.(*ast.FuncDecl)
	return !isMethod && !slices.ContainsFunc(p.emptied, func(methods *ast.FieldList) bool {
		return methods.Opening < group.Pos() && group.End() <= methods.Closing
	})
}

// reduceDeclaration removes the body of a function. It reports whether the declaration is
// needed.
func (p *declared) reduceDeclaration(declaration ast.Decl) bool {
	if method, ok := declaration.(*ast.FuncDecl); ok {
		method.Body, method.Doc = nil, nil
	}
	return p.needed[declaration]
}

// withoutForeignMarkers removes the markers that controller-gen ignores.
func withoutForeignMarkers(text []byte, registry *markers.Registry) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		if marker, ok := strings.CutPrefix(strings.TrimSpace(string(line)), "// +"); ok &&
			registry.Lookup("+"+marker, markers.DescribesType) == nil && registry.Lookup("+"+marker, markers.DescribesField) == nil {
			continue
		}
		kept = append(kept, line...)
	}
	return kept
}
