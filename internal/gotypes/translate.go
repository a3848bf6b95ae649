package gotypes

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// translate returns edits of Go files that have the effect of edits of a CRD, by its index. They
// are tested: the CRDs generated from the edited files are the same as those after the edits, and
// there are no further mistakes. It returns nil without such edits, after the end of ctx, and if
// controller-tools reported an error: the faults of the CRD may follow from it.
func (g *generated) translate(ctx context.Context, crd int, edits []edit.Edit) []manifest.Edit {
	before, d := g.crds[crd].text, g.crds[crd].document()
	after := edit.Apply(before, edits...)
	changes := jsonvalue.Diff(decoded(before), decoded(after), nil)
	if d == nil || len(changes) == 0 || g.failed() {
		return nil
	}
	var tried [][]manifest.Edit
	for choice := range maxChoices {
		if ctx.Err() != nil {
			break
		}
		translated, ok := d.translate(changes, choice)
		same := func(other []manifest.Edit) bool { return slices.Equal(other, translated) }
		if !ok || slices.ContainsFunc(tried, same) {
			continue
		}
		tried = append(tried, translated)
		if g.gives(ctx, translated, crd, after) {
			return translated
		}
	}
	return nil
}

// maxChoices limits the origins of a schema node that are tried for a marker: its field, and the
// types to which the field refers.
const maxChoices = 3

// decoded returns the value of a CRD; nil if it is not valid.
func decoded(text string) (value any) {
	if yaml.Unmarshal([]byte(text), &value) != nil {
		return nil
	}
	return value
}

// gives reports whether edits of Go files change a CRD to another, and nothing else.
func (g *generated) gives(ctx context.Context, edits []manifest.Edit, crd int, wanted string) bool {
	next, err := g.edited(ctx, edits)
	if err != nil || len(next.crds) != len(g.crds) || next.mistakes() > g.mistakes() {
		return false
	}
	for i, other := range next.crds {
		if i != crd {
			wanted = g.crds[i].text
		}
		if !jsonvalue.Equal(decoded(other.text), decoded(wanted)) {
			return false
		}
	}
	return true
}

// resolves reports whether a mistake is gone after its fix, without another error.
func (g *generated) resolves(ctx context.Context, fix manifest.Fix) bool {
	next, err := g.edited(ctx, fix.Edits)
	return err == nil && next.mistakes() < g.mistakes() && (g.failed() || !next.failed())
}

// translate returns the edits of Go files for the changes of a CRD, each at the origin of its
// schema node with the index choice, or at the last. ok is false if a change has no edit.
func (d *document) translate(changes []jsonvalue.Change, choice int) (all []manifest.Edit, ok bool) {
	for _, change := range changes {
		edits := d.editsFor(change, choice)
		if len(edits) == 0 {
			return nil, false
		}
		for _, e := range edits {
			same := func(other manifest.Edit) bool { return other.Place == e.Place }
			switch i := slices.IndexFunc(all, same); {
			case i < 0:
				all = append(all, e)
			case !strings.Contains(all[i].NewText, e.NewText):
				all[i].NewText += e.NewText
			}
		}
	}
	return all, true
}

// editsFor returns the edits for a change.
func (d *document) editsFor(change jsonvalue.Change, choice int) []manifest.Edit {
	root, path, ok := d.schema(change.Path)
	if root.origins == nil || len(path) == 0 {
		return nil
	}
	if !ok {
		return d.argumentEdits(root, change, choice)
	}
	if n := len(path) - 1; path[n] == "x-kubernetes-validations" {
		return d.ruleEdits(d.owners(root, path[:n]), change, choice)
	}
	if n := len(path) - 3; n >= 0 && path[n] == "x-kubernetes-validations" {
		found, _ := d.at(root, path)
		return d.argumentEdits(found, change, choice)
	}
	node, keyword := path[:len(path)-1], fmt.Sprint(path[len(path)-1])
	if keyword == "required" {
		return d.requiredEdits(root, node, change)
	}
	owners := d.owners(root, node)
	if len(owners) == 0 {
		return nil
	}
	if change.Op == playground.ChangeRemove {
		return d.removal(owners, keyword)
	}
	var all []manifest.Edit
	for _, text := range markersFor(keyword, change.Value) {
		fitting := slices.DeleteFunc(slices.Clone(owners), func(o owner) bool { return d.registry.Lookup("+"+o.named(text), target(o.node)) == nil })
		if len(fitting) == 0 {
			return nil
		}
		all = append(all, d.setMarker(fitting, text, choice))
	}
	return all
}

// setMarker replaces a marker at one of its owners. If no owner has it, the one with the index choice,
// or the last, gets it.
func (d *document) setMarker(owners []owner, text string, choice int) manifest.Edit {
	name, _, _ := strings.Cut(text, "=")
	for _, o := range owners {
		if present := d.markerNamed(o.origin, o.named(name)); present != nil && name != listKeyMarker {
			return manifest.Edit{Place: d.marker(o.origin, present), NewText: "+" + o.named(text)}
		}
	}
	o := owners[min(choice, len(owners)-1)]
	return d.insertion(o.origin, o.named(text))
}

// ruleEdits adds the rules after those of a schema node at the owner with the index choice, or at the last.
func (d *document) ruleEdits(owners []owner, change jsonvalue.Change, choice int) (all []manifest.Edit) {
	rules, _ := change.Value.([]any)
	known, _ := d.yaml.At(change.Path...)
	if len(rules) <= known.Len() {
		return nil
	}
	for _, rule := range rules[known.Len():] {
		fields, ok := rule.(map[string]any)
		if !ok || len(owners) == 0 {
			return nil
		}
		var arguments []string
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			arguments = append(arguments, name+"="+argument(fields[name]))
		}
		o := owners[min(choice, len(owners)-1)]
		all = append(all, d.insertion(o.origin, o.named(markerPrefix+"XValidation:"+strings.Join(arguments, ","))))
	}
	return all
}

// An owner is an origin with the markers of a schema node. items reports that the node describes
// the items of the origin's list.
type owner struct {
	origin
	items bool
}

const (
	markerPrefix = "kubebuilder:validation:"
	// listKeyMarker may occur several times.
	listKeyMarker = "listMapKey"
)

// named returns the marker of an owner for one of a node.
func (o owner) named(marker string) string {
	if name, ok := strings.CutPrefix(marker, markerPrefix); ok && o.items {
		return markerPrefix + "items:" + name
	}
	return marker
}

// owners returns the origins that may have the markers of the schema node at a path: a field and
// its types for the items of a list, and the node's own.
func (d *document) owners(root site, path []any) []owner {
	own := func(path []any) []origin {
		found, rest := d.at(root, path)
		if len(rest) > 0 {
			return nil
		}
		n := len(path) - 1
		if n < 0 || path[n] != "items" && path[n] != "additionalProperties" || n > 0 && path[n-1] == "properties" {
			return found.origins
		}
		list, _ := d.at(root, path[:n])
		return found.origins[len(list.origins):]
	}
	var all []owner
	add := func(origins []origin, items bool) {
		for _, o := range origins {
			if d.isRoot(o.pkg) {
				all = append(all, owner{o, items})
			}
		}
	}
	if n := len(path) - 1; n > 0 && path[n] == "items" {
		add(own(path[:n]), true)
	}
	add(own(path), false)
	return all
}

// markerNamed returns the marker of a field or type with a name, or nil.
func (d *document) markerNamed(o origin, name string) *ast.Comment {
	for _, comment := range d.commentsOf(o.pkg).of[o.node] {
		if markerName(comment) == name {
			return comment
		}
	}
	return nil
}

// insertion inserts a marker in the line above a field or type.
func (d *document) insertion(o origin, marker string) manifest.Edit {
	at := o.pkg.Fset.Position(o.node.Pos())
	start := at.Offset - (at.Column - 1)
	place := d.files.between(at.Filename, start, start)
	line := place.File.Text[start:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return manifest.Edit{Place: place, NewText: indent + "// +" + marker + "\n"}
}

// removal removes the line of the marker that sets a keyword.
func (d *document) removal(owners []owner, keyword string) []manifest.Edit {
	for _, o := range owners {
		for _, comment := range d.commentsOf(o.pkg).of[o.node] {
			if o.items || !d.constrains(o.origin, comment, keyword) {
				continue
			}
			at := o.pkg.Fset.Position(comment.Pos())
			start := at.Offset - (at.Column - 1)
			text := d.files.file(at.Filename).Text
			end := start + strings.IndexByte(text[start:]+"\n", '\n') + 1
			return []manifest.Edit{{Place: d.files.between(at.Filename, start, min(end, len(text)))}}
		}
	}
	return nil
}

// requiredEdits adds a marker to the fields that become required.
func (d *document) requiredEdits(root site, node []any, change jsonvalue.Change) []manifest.Edit {
	parent, rest := d.at(root, node)
	names, ok := change.Value.([]any)
	if !ok || len(rest) > 0 {
		return nil
	}
	before := &yamlv3.Node{}
	if l, ok := d.yaml.At(change.Path...); ok {
		before = l.Node()
	}
	var all []manifest.Edit
	for _, name := range names {
		if slices.ContainsFunc(before.Content, func(n *yamlv3.Node) bool { return n.Value == name }) {
			continue
		}
		field, ok := d.property(parent, fmt.Sprint(name))
		if !ok || !d.isRoot(field.origins[0].pkg) {
			return nil
		}
		all = append(all, d.insertion(field.origins[0], "required"))
	}
	return all
}

// argumentEdits replaces a string in a marker, where it is an argument: that with the index choice
// among those at the origins of a node.
func (d *document) argumentEdits(node site, change jsonvalue.Change, choice int) (all []manifest.Edit) {
	before, isKnown := d.yaml.At(change.Path...)
	after, isText := change.Value.(string)
	if !isKnown || !isText || change.Op != playground.ChangeReplace || before.Node() == nil {
		return nil
	}
	for _, o := range node.origins {
		for _, comment := range d.commentsOf(o.pkg).of[o.node] {
			for _, quote := range []func(string) string{strconv.Quote, backquote, strings.TrimSpace} {
				old := quote(before.Node().Value)
				if at := strings.Index(comment.Text, "="+old) + 1; at > 0 && d.isRoot(o.pkg) {
					all = append(all, manifest.Edit{Place: d.tokenRange(o, comment, at, at+len(old)), NewText: quote(after)})
				}
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all[min(choice, len(all)-1):][:1]
}

func backquote(text string) string { return "`" + text + "`" }

// markerNames maps keywords of schemas to markers. Those of other bounds have the name of the keyword.
var markerNames = map[string]string{
	"default": "kubebuilder:default", "nullable": "nullable", "x-kubernetes-list-type": "listType",
	"x-kubernetes-list-map-keys": listKeyMarker, "x-kubernetes-map-type": "mapType",
	"x-kubernetes-preserve-unknown-fields": "kubebuilder:pruning:PreserveUnknownFields",
	"x-kubernetes-embedded-resource":       "kubebuilder:validation:EmbeddedResource",
}

// flags lists the markers without a value.
var flags = []string{"nullable", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"}

// markersFor returns the markers that set a keyword of a schema.
func markersFor(keyword string, value any) []string {
	name, ok := markerNames[keyword]
	if !ok {
		name = markerPrefix + strings.ToUpper(keyword[:1]) + keyword[1:]
	}
	if slices.Contains(flags, keyword) {
		return []string{name}
	}
	list, isList := value.([]any)
	if !isList {
		return []string{name + "=" + argument(value)}
	}
	var all []string
	for _, item := range list {
		all = append(all, argument(item))
	}
	if name != listKeyMarker {
		return []string{name + "=" + strings.Join(all, ";")}
	}
	for i := range all {
		all[i] = name + "=" + all[i]
	}
	return all
}

// plainWord matches strings that markers have without quotes.
var plainWord = regexp.MustCompile(`^[A-Za-z][\w-]*$`)

// argument returns a value in the notation of markers.
func argument(value any) string {
	text, isText := value.(string)
	switch {
	case isText && plainWord.MatchString(text) && text != "true" && text != "false":
		return text
	case isText && strings.ContainsAny(text, `\"`) && !strings.Contains(text, "`"):
		return backquote(text)
	}
	encoded, _ := json.Marshal(value) // It was decoded from JSON.
	return string(encoded)
}
