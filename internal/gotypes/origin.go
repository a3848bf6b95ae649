package gotypes

import (
	"go/ast"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/yamltext"
)

// place returns the Go source of a range: a marker, or the name of a field or
// type. A range within a CEL rule leads to the same characters in the marker.
func (c generatedCRD) place(r playground.Range) manifest.Place {
	d := c.document()
	if d == nil {
		return manifest.Place{}
	}
	return d.place(d.yaml.PathAt(r.Start), r)
}

// A document is a generated CRD with the Go source of its parts.
type document struct {
	*places
	yaml  *source.Document
	index *yamltext.Index
}

// parse parses the YAML of a CRD; it returns nil if the YAML exceeds a limit.
func parse(text string, p *places) *document {
	parsed, err := source.Parse(text, source.DefaultLimits)
	if err != nil || len(parsed.Documents) == 0 {
		return nil
	}
	return &document{p, parsed.Documents[len(parsed.Documents)-1], yamltext.NewIndex(text)}
}

// place returns the Go source of a range at a path of the CRD.
func (d *document) place(path []any, r playground.Range) manifest.Place {
	root, rest, ok := d.schema(path)
	if root.origins == nil {
		return manifest.Place{}
	}
	if !ok {
		others := before(rest)
		return d.described(root, func(o origin, comment *ast.Comment) bool {
			if !d.sets(o, comment, rest) {
				return false
			}
			others--
			return others < 0
		})
	}
	found, keyword := d.at(root, rest)
	if !slices.ContainsFunc(found.origins, func(o origin) bool { return d.isRoot(o.pkg) }) {
		return d.nameOf(d.visible(d.author(root, rest)))
	}
	if len(keyword) == 0 {
		return d.nameOf(d.visible(found))
	}
	if keyword[0] == "x-kubernetes-validations" {
		if place, ok := d.rule(found, path, r); ok {
			return place
		}
	}
	if keyword[0] == "required" {
		if value, ok := d.yaml.At(path...); ok && value.Node() != nil {
			if field, ok := d.property(found, value.Node().Value); ok {
				return d.nameOf(d.visible(field))
			}
		}
	}
	return d.described(found, func(o origin, comment *ast.Comment) bool { return d.constrains(o, comment, keyword[0]) })
}

// before returns the number of markers before the one that sets a path of a version: lists whose items have a marker each
// are in the order of the markers.
func before(path []any) int {
	if len(path) > 1 && (path[0] == "additionalPrinterColumns" || path[0] == "selectableFields") {
		if index, ok := path[1].(int); ok {
			return index
		}
	}
	return 0
}

// schema returns the site of the kind, and the path below its schema. Outside of the schema, ok is
// false, and rest is the path below the version. Without a kind, the site is empty.
func (d *document) schema(path []any) (root site, rest []any, ok bool) {
	version, rest := d.version(path)
	group, _ := d.yaml.Lookup("spec", "group")
	kind, _ := d.yaml.Lookup("spec", "names", "kind")
	root, ok = d.root(group, version, kind)
	if !ok || len(rest) < 2 || rest[0] != "schema" || rest[1] != "openAPIV3Schema" {
		return root, rest, false
	}
	return root, rest[2:], true
}

// version returns the name of the version at a path, and the path below it. Outside of the
// versions, it returns the first version and the path below the CRD.
func (d *document) version(path []any) (name string, rest []any) {
	at := []any{"spec", "versions", 0}
	rest = path
	if len(path) > 2 && path[0] == "spec" && path[1] == "versions" {
		at[2], rest = path[2], path[3:]
	}
	if l, ok := d.yaml.At(append(at, "name")...); ok && l.Node() != nil {
		name = l.Node().Value
	}
	return name, rest
}

// described locates the first marker at a site that matches, otherwise the name
// of its field or type.
func (d *document) described(s site, matches func(origin, *ast.Comment) bool) manifest.Place {
	for _, o := range s.origins {
		for _, comment := range d.commentsOf(o.pkg).of[o.node] {
			if d.isRoot(o.pkg) && matches(o, comment) {
				return d.marker(o, comment)
			}
		}
	}
	return d.nameOf(d.visible(s))
}

// author returns the innermost site at or above a path that a field or type in a package of the user declares.
func (d *document) author(root site, path []any) site {
	nearest := root
	for n := range path {
		if found, _ := d.at(root, path[:n]); slices.ContainsFunc(found.origins, func(o origin) bool { return d.isRoot(o.pkg) }) {
			nearest = found
		}
	}
	return nearest
}

// visible returns the innermost field or type in a package of the user.
func (d *document) visible(s site) origin {
	for _, o := range s.origins {
		if d.isRoot(o.pkg) {
			return o
		}
	}
	return s.origins[0]
}

// rule locates a CEL rule in its marker. ok is false if no marker has the rule.
func (d *document) rule(s site, path []any, r playground.Range) (place manifest.Place, ok bool) {
	o, comment, text, ok := d.ruleMarker(s, path)
	switch {
	case !ok:
		return place, false
	case path[len(path)-1] != "rule":
		return d.marker(o, comment), true
	}
	return d.token(o, comment, text, r), true
}

// ruleMarker returns the marker of the CEL rule at a path, and the rule in the CRD.
func (d *document) ruleMarker(s site, path []any) (o origin, comment *ast.Comment, text source.Location, ok bool) {
	at := slices.Index(path, any("x-kubernetes-validations"))
	if at < 0 || at+1 >= len(path) {
		return o, nil, text, false
	}
	text, ok = d.yaml.At(append(slices.Clone(path[:at+2]), "rule")...)
	if !ok || text.Node() == nil {
		return o, nil, text, false
	}
	for _, o := range s.origins {
		for _, comment := range d.commentsOf(o.pkg).of[o.node] {
			if d.parsedRule(o, comment) == text.Node().Value {
				return o, comment, text, true
			}
		}
	}
	return o, nil, text, false
}

// parsedRule returns the rule of a marker, or an empty string.
func (d *document) parsedRule(o origin, comment *ast.Comment) string {
	rule, _ := d.value(o.node, comment).(crdmarkers.XValidation)
	return rule.Rule
}

// token locates a part of a rule in its marker: the characters of the range, which
// occurs as often before the range as before the place.
func (d *document) token(o origin, comment *ast.Comment, rule source.Location, r playground.Range) manifest.Place {
	whole := rule.Value()
	start, end := d.index.Offset(r.Start), d.index.Offset(r.End)
	first := d.index.Offset(whole.Start)
	argument := strings.Index(comment.Text, "rule")
	if start < first || end <= start || r == whole || argument < 0 {
		return d.marker(o, comment)
	}
	yaml := d.index.Text()
	searched := yaml[start:end]
	at := argument + len("rule")
	for range strings.Count(yaml[first:start], searched) + 1 {
		next := strings.Index(comment.Text[at:], searched)
		if next < 0 {
			return d.marker(o, comment)
		}
		at += next + len(searched)
	}
	return d.tokenRange(o, comment, at-len(searched), at)
}
