package edit_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
	"github.com/crdlab/crdlab/internal/source/sourcetest"
)

// FuzzEdit checks that an edit at any path of any document changes the decoded
// value as requested, and nothing more.
func FuzzEdit(f *testing.F) {
	sourcetest.Seeds(f, "../testdata")
	f.Fuzz(func(t *testing.T, text string) {
		file, _ := source.Parse(text, source.Limits{})
		for i, d := range file.Documents {
			if d.Err != nil || d.Root().Node() == nil || strings.ContainsAny(d.Text, "&*") {
				continue
			}
			var tree any
			if d.Root().Node().Decode(&tree) != nil || !namesKeys(tree) {
				continue
			}
			checkEdits(t, text, i, d, tree)
		}
	})
}

func checkEdits(t *testing.T, text string, i int, d *source.Document, tree any) {
	check := func(what string, path []any, change edit.Edit, ok bool, want any) {
		if !ok {
			return
		}
		edited := edit.Apply(text, change)
		file, _ := source.Parse(edited, source.Limits{})
		var got any
		if len(file.Documents) > i {
			if err := file.Documents[i].Err; err != nil {
				t.Fatalf("%s %q in %q: %v in %q", what, path, text, err, edited)
			}
			if err := file.Documents[i].Root().Node().Decode(&got); err != nil {
				t.Fatalf("%s %q in %q: %v in %q", what, path, text, err, edited)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s %q in %q gives %q\n-want +got\n%s", what, path, text, edited, diff)
		}
	}
	sourcetest.Visit(d.Root(), nil, func(l source.Location, path []any) {
		change, ok := edit.Set(d, "a, b", path...)
		check("set", path, change, ok, changed(tree, path, func(any) any { return "a, b" }))
		if len(path) > 0 {
			change, ok = edit.Delete(d, path...)
			check("delete", path, change, ok, without(tree, path))
		}
		for _, value := range []any{1, map[string]any{"x": []any{"y", true}}, "two\nlines"} {
			checkInsert(d, l, tree, path, value, check)
		}
	})
}

func checkInsert(d *source.Document, l source.Location, tree any, path []any, value any, check func(string, []any, edit.Edit, bool, any)) {
	switch {
	case l.Node().Kind == yaml.MappingNode || l.Node().Tag == "!!null":
		change, ok := edit.Set(d, value, append(slices.Clone(path), "new")...)
		check("insert", path, change, ok, changed(tree, path, func(old any) any {
			mapping, _ := old.(map[string]any)
			mapping = clone(mapping)
			mapping["new"] = value
			return mapping
		}))
	case l.Node().Kind == yaml.SequenceNode:
		change, ok := edit.Set(d, value, append(slices.Clone(path), len(l.Node().Content))...)
		check("append", path, change, ok, changed(tree, path, func(old any) any {
			return append(slices.Clone(old.([]any)), value)
		}))
	}
}

// namesKeys reports whether all keys are strings, as in JSON.
func namesKeys(tree any) bool {
	switch tree := tree.(type) {
	case map[any]any:
		return false
	case map[string]any:
		for _, value := range tree {
			if !namesKeys(value) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(tree, func(item any) bool { return !namesKeys(item) })
	}
	return true
}

func clone(m map[string]any) map[string]any {
	copied := map[string]any{}
	maps.Copy(copied, m)
	return copied
}

// changed returns a copy of a tree with one value replaced.
func changed(tree any, path []any, change func(any) any) any {
	if len(path) == 0 {
		return change(tree)
	}
	switch step := path[0].(type) {
	case string:
		mapping := clone(tree.(map[string]any))
		mapping[step] = changed(mapping[step], path[1:], change)
		return mapping
	default:
		list := slices.Clone(tree.([]any))
		list[step.(int)] = changed(list[step.(int)], path[1:], change)
		return list
	}
}

// without returns a copy of a tree with one value removed.
func without(tree any, path []any) any {
	return changed(tree, path[:len(path)-1], func(parent any) any {
		switch step := path[len(path)-1].(type) {
		case string:
			mapping := clone(parent.(map[string]any))
			delete(mapping, step)
			return mapping
		default:
			return slices.Delete(slices.Clone(parent.([]any)), step.(int), step.(int)+1)
		}
	})
}
