package gotypes

import (
	"go/ast"
	"go/token"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/markers"
)

// comments holds the marker comments of a package.
type comments struct {
	// of has the marker comments of fields and types, from the first to the last.
	of map[ast.Node][]*ast.Comment
	// others lists the marker comments that belong to no field or type.
	others []*ast.Comment
}

// commentsOf returns the marker comments of a package. Like controller-tools, it uses the
// comment of a declaration, and the last comment group before it.
func (p *places) commentsOf(pkg *loader.Package) *comments {
	if known := p.comments[pkg]; known != nil {
		return known
	}
	pkg.NeedSyntax()
	all := &comments{of: map[ast.Node][]*ast.Comment{}}
	for _, file := range pkg.Syntax {
		all.add(file)
	}
	p.comments[pkg] = all
	return all
}

func (c *comments) add(file *ast.File) {
	free := newFreeComments(file)
	after := file.Name.End()
	for _, declaration := range file.Decls {
		generic, ok := declaration.(*ast.GenDecl)
		if !ok || generic.Tok != token.TYPE {
			after = declaration.End()
			continue
		}
		if !generic.Lparen.IsValid() && len(generic.Specs) == 1 {
			c.take(free, generic.Specs[0], after, generic.Pos(), generic.Doc)
		}
		after = max(after, generic.Lparen)
		for _, spec := range generic.Specs {
			c.addType(free, spec.(*ast.TypeSpec), after) //nolint:forcetypeassert // The token of the declaration is TYPE.
			after = spec.End()
		}
		after = generic.End()
	}
	c.others = append(c.others, free.rest()...)
}

func (c *comments) addType(free *freeComments, spec *ast.TypeSpec, after token.Pos) {
	c.take(free, spec, after, spec.Pos(), spec.Doc)
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	last := structure.Fields.Opening
	for _, field := range structure.Fields.List {
		c.take(free, field, last, field.Pos(), field.Doc)
		last = field.End()
		if field.Comment != nil {
			last = field.Comment.End()
		}
	}
}

// take assigns comments to a node: its documentation, and the last group between after and
// start.
func (c *comments) take(free *freeComments, node ast.Node, after, start token.Pos, documentation *ast.CommentGroup) {
	if documentation != nil {
		start = documentation.Pos()
	}
	if before := free.last(after, start); before != nil {
		c.of[node] = append(c.of[node], markerComments(before)...)
		free.taken[before] = true
	}
	if documentation != nil && !free.taken[documentation] {
		c.of[node] = append(c.of[node], markerComments(documentation)...)
		free.taken[documentation] = true
	}
}

// freeComments holds the comment groups of a file.
type freeComments struct {
	groups []*ast.CommentGroup
	taken  map[*ast.CommentGroup]bool
}

func newFreeComments(file *ast.File) *freeComments {
	return &freeComments{file.Comments, map[*ast.CommentGroup]bool{}}
}

// last returns the last group between two positions, or nil.
func (f *freeComments) last(after, before token.Pos) *ast.CommentGroup {
	var found *ast.CommentGroup
	for _, group := range f.groups {
		if group.Pos() >= before {
			break
		}
		if group.Pos() > after && !f.taken[group] {
			found = group
		}
	}
	return found
}

// rest returns the marker comments that no node has.
func (f *freeComments) rest() []*ast.Comment {
	var all []*ast.Comment
	for _, group := range f.groups {
		if !f.taken[group] {
			all = append(all, markerComments(group)...)
		}
	}
	return all
}

// markerComments returns the comments of a group that are markers: "// +name".
func markerComments(group *ast.CommentGroup) []*ast.Comment {
	var all []*ast.Comment
	for _, comment := range group.List {
		if strings.HasPrefix(comment.Text, "//") && strings.HasPrefix(markerText(comment), "+") {
			all = append(all, comment)
		}
	}
	return all
}

// markerText returns the content of a comment as controller-tools parses it.
func markerText(comment *ast.Comment) string { return strings.TrimSpace(comment.Text[2:]) }

// markerName returns the name of a marker as written, without its arguments.
func markerName(comment *ast.Comment) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(markerText(comment), "+"), "=")
	return strings.TrimSpace(name)
}

// target returns the target of the markers at a node; nil means the package.
func target(node ast.Node) markers.TargetType {
	switch node.(type) {
	case nil:
		return markers.DescribesPackage
	case *ast.Field:
		return markers.DescribesField
	}
	return markers.DescribesType
}
