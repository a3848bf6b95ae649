package kustomize

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// An object is a result of a build.
type object struct {
	tree       *tree
	build      *built
	text       string
	kind, name string
	// path is the file of the object; empty if it is generated or remote.
	path string
	// document is the document of the input with the same content, or nil.
	document *manifest.Document
}

// generated returns the object with the functions that lead to its sources.
func (o *object) generated() manifest.GeneratedFile {
	parsed := sync.OnceValue(func() *source.Document { return first(o.text) })
	layers := sync.OnceValue(o.layers)
	return manifest.GeneratedFile{
		Text: o.text,
		Origin: func(r playground.Range) manifest.Place {
			place, _ := o.origin(parsed(), layers(), r)
			return place
		},
		Translate: func(_ context.Context, edits []edit.Edit) []manifest.Edit {
			var all []manifest.Edit
			for _, e := range edits {
				place, same := o.origin(parsed(), layers(), e.Range)
				if !same {
					return nil
				}
				all = append(all, manifest.Edit{Place: place, NewText: e.NewText})
			}
			return all
		},
	}
}

// A layer is a document that gives an object values: its resource or a patch.
type layer struct {
	file *manifest.File
	// at returns the location of the value at a path of the object.
	at func(path []any) (source.Location, bool)
	// inFile returns the range in the file of a range in the document.
	inFile func(playground.Range) playground.Range
}

// comesFrom reports whether a file gives the object values.
func (o *object) comesFrom(path string) bool {
	return o.path == path || slices.ContainsFunc(o.layers(), func(l layer) bool { return l.file.Path == o.tree.name(path) })
}

// origin returns the place from which a range in the object comes. same reports that the place has
// the same text: other ranges lead to what is nearest to them.
func (o *object) origin(built *source.Document, layers []layer, r playground.Range) (place manifest.Place, same bool) {
	if built == nil || len(layers) == 0 {
		return manifest.Place{File: o.tree.file(o.build.root.path)}, false
	}
	path := built.PathAt(r.Start)
	value, _ := built.At(path...)
	for _, l := range layers {
		if found, ok := l.at(path); ok && equal(found.Node(), value.Node()) {
			if r == value.Key() {
				return manifest.Place{File: l.file, Range: l.inFile(found.Key())}, true
			}
			return manifest.Place{File: l.file, Range: l.inFile(found.Value())}, r == value.Value()
		}
	}
	for ; len(path) > 0; path = path[:len(path)-1] {
		for _, l := range layers {
			if found, ok := l.at(path); ok {
				return manifest.Place{File: l.file, Range: l.inFile(found.Key())}, false
			}
		}
	}
	place = manifest.Place{File: layers[0].file}
	if found, ok := layers[0].at(nil); ok {
		place.Range = layers[0].inFile(found.Key())
	}
	return place, false
}

// layers returns the layers of the object: its resource, if it has one, and then the patches, those that are
// applied last first.
func (o *object) layers() []layer {
	var all []layer
	if o.path != "" {
		file := o.tree.file(o.path)
		all = append(all, layer{file, o.in(file.Text), unchanged})
	}
	for _, k := range o.build.read {
		for i, p := range slices.Backward(k.Patches) {
			if p.Target != nil && !o.isTarget(p.Target) {
				continue
			}
			path, text, inFile := k.absolute(p.Path), "", unchanged
			if p.Path == "" {
				path, text, inFile = k.path, p.Patch, k.inline(i, p.Patch)
			} else if read, err := o.tree.ReadFile(path); err == nil {
				text = string(read)
			}
			all = append(all, o.patches(o.tree.file(path), text, p.Target != nil, inFile)...)
		}
	}
	return all
}

func unchanged(r playground.Range) playground.Range { return r }

// in returns the locations in the document of the object in a file: that of its kind whose name is the longest part
// of the object's name, which may have a prefix and a suffix.
func (o *object) in(text string) func(path []any) (source.Location, bool) {
	var found *source.Document
	longest := -1
	parsed, _ := source.Parse(text, source.DefaultLimits)
	for _, d := range parsed.Documents {
		if name, ok := o.nameIn(d); ok && len(name) > longest {
			found, longest = d, len(name)
		}
	}
	return func(path []any) (source.Location, bool) {
		if found == nil {
			return source.Location{}, false
		}
		return found.At(path...)
	}
}

// nameIn returns the name in a document that may be of the object.
func (o *object) nameIn(d *source.Document) (name string, ok bool) {
	kind, _ := d.Lookup("kind")
	name, _ = d.Lookup("metadata", "name")
	return name, kind == o.kind && strings.Contains(o.name, name)
}

// isTarget reports whether a patch with a target may apply to the object.
func (o *object) isTarget(target *types.Selector) bool {
	expression, err := regexp.Compile("^(?:" + target.Kind + ")$")
	return target.Kind == "" || err == nil && expression.MatchString(o.kind)
}

// patches returns the layers of a patch. With a target, its own name does not matter.
func (o *object) patches(file *manifest.File, text string, hasTarget bool, inFile func(playground.Range) playground.Range) []layer {
	var all []layer
	parsed, _ := source.Parse(text, source.DefaultLimits)
	for _, d := range slices.Backward(parsed.Documents) {
		if d.Err != nil || d.Empty() {
			continue
		}
		if root := d.Root(); root.Node().Kind == yaml.SequenceNode {
			for i := range slices.Backward(make([]struct{}, root.Len())) {
				all = append(all, layer{file, func(path []any) (source.Location, bool) { return operation(d, i, path) }, inFile})
			}
			continue
		}
		_, isNamed := o.nameIn(d)
		if kind, _ := d.Lookup("kind"); isNamed || hasTarget && (kind == "" || kind == o.kind) {
			all = append(all, layer{file, func(path []any) (source.Location, bool) { return d.At(path...) }, inFile})
		}
	}
	return all
}

// operation returns the location in the value of a JSON patch operation of the value at a path of the patched object.
func operation(d *source.Document, i int, path []any) (source.Location, bool) {
	field, ok := d.At(i, "path")
	value, hasValue := d.At(i, "value")
	if !ok || !hasValue {
		return source.Location{}, false
	}
	pointer := strings.Split(strings.TrimPrefix(field.Node().Value, "/"), "/")
	if len(pointer) > len(path) {
		return source.Location{}, false
	}
	for n, step := range pointer {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch at := path[n].(type) {
		case string:
			ok = at == step
		case int:
			ok = step == "-" || strconv.Itoa(at) == step
		}
		if !ok {
			return source.Location{}, false
		}
	}
	return value.At(path[len(pointer):]...)
}

// inline returns the function from ranges of an inline patch to those of its kustomization.
func (k *kustomization) inline(i int, patch string) func(playground.Range) playground.Range {
	parsed := first(k.text)
	if parsed == nil {
		return func(playground.Range) playground.Range { return playground.Range{} }
	}
	at, ok := parsed.At("patches", i, "patch")
	if !ok { // It comes from a deprecated field.
		for name := range slices.Values([]string{"patchesStrategicMerge", "patchesJson6902"}) {
			if field, has := parsed.At(name); has {
				at = field
			}
		}
	}
	scalar, isScalar := at.Scalar()
	if !isScalar {
		return func(playground.Range) playground.Range { return at.Key() }
	}
	file := manifest.NewFile(k.path, patch)
	return func(r playground.Range) playground.Range {
		return scalar.Range(offset(file, r.Start), offset(file, r.End))
	}
}

// offset returns the number of code points before a position.
func offset(f *manifest.File, p playground.Position) int {
	start, _ := f.LineStart(p.Line)
	line := []rune(f.Line(p.Line))
	return len([]rune(f.Text[:start])) + min(p.Character, len(line))
}

// first returns the first document of a text, or nil.
func first(text string) *source.Document {
	parsed, _ := source.Parse(text, source.DefaultLimits)
	if len(parsed.Documents) == 0 || parsed.Documents[0].Err != nil {
		return nil
	}
	return parsed.Documents[0]
}

// equal reports whether two nodes have the same values.
func equal(a, b *yaml.Node) bool {
	if a == nil || b == nil || a.Kind != b.Kind || len(a.Content) != len(b.Content) {
		return false
	}
	if a.Kind == yaml.ScalarNode {
		return a.Value == b.Value
	}
	return slices.EqualFunc(a.Content, b.Content, equal)
}

// file returns a file for the places in it.
func (t *tree) file(path string) *manifest.File {
	text, _ := t.ReadFile(path)
	name := t.name(path)
	if f := t.known[name]; f != nil && f.Text == string(text) {
		return f
	}
	return manifest.NewFile(filepath.Clean(name), string(text))
}
