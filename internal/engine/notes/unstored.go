package notes

import (
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// unstored lists the paths of settings whose empty values the API server does not store.
var unstored = [][]any{
	{"spec", "preserveUnknownFields"},
	{"spec", "names", "shortNames"},
	{"spec", "names", "categories"},
}

// findUnstored reports values that the API server does not store, because they mean the same as none.
func findUnstored(n node) (notes []playground.Finding) {
	add := func(at source.Location, path []any) {
		written, isEmpty := emptyValue(at.Node())
		if !isEmpty {
			return
		}
		name := path[len(path)-1]
		var fixes []playground.Fix
		if removed, ok := n.edit(func() (edit.Edit, bool) { return edit.Delete(n.crd.Doc, path...) }); ok {
			fixes = newFix(fmt.Sprintf("Remove %v", name), removed)
		}
		notes = append(notes, newNote(at.Key(), fmt.Sprintf("the API server does not store %v: %s", name, written),
			"Omitting it means the same. GitOps tools that compare the document with the cluster may always report a difference.", fixes...))
	}
	if n.parent == nil && n.index == 0 {
		for _, path := range unstored {
			if at, ok := n.crd.Doc.At(path...); ok {
				add(at, path)
			}
		}
	}
	if n.list.hasNullable && !n.schema.Nullable {
		if at, ok := n.lookup("nullable"); ok {
			add(at, n.documentPath("nullable"))
		}
	}
	return notes
}

// emptyValue formats a value that JSON without empty values lacks.
func emptyValue(node *yaml.Node) (written string, ok bool) {
	switch {
	case node.Kind == yaml.ScalarNode && node.Value == "false":
		return "false", true
	case node.Kind == yaml.SequenceNode && len(node.Content) == 0:
		return "[]", true
	}
	return "", false
}
