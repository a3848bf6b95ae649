package owner

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/crdlab/crdlab/internal/engine/crdschema"
	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// A Merge relates the object that server-side apply has merged to the configuration that
// was applied. The items of their lists may have different indexes.
type Merge struct {
	Object, Configuration map[string]any
	Schema                *structuralschema.Structural
	// Managers is metadata.managedFields of the object.
	Managers []metav1.ManagedFieldsEntry

	// indexes holds the indexes of the items of the configuration by their identities, by the
	// path of their list in the object.
	indexes map[string]map[string]int
}

// Place returns the path in the configuration of the value at a path of the object. If the
// configuration lacks the value, Place returns the path of its nearest ancestor, and a
// sentence that names the value's owners.
func (m *Merge) Place(path []any) (own []any, absent string) {
	var fields []any // the path as owners know it
	for i, step := range path {
		list, _ := jsonvalue.At(m.Configuration, own)
		name := ""
		if index, isIndex := step.(int); isIndex {
			item, _ := jsonvalue.At(m.Object, path[:i+1])
			node, _ := crdschema.NodeAt(m.Schema, path[:i])
			if part := identity(node, item); part != nil {
				fields, name = append(fields, part), nameOf(part)
				index = m.indexOf(path[:i], node, list, name)
			}
			step = index
		} else {
			fields = append(fields, step)
		}
		if _, ok := jsonvalue.At(list, []any{step}); !ok {
			return own, describeAbsent(name, Of(m.Managers, fields...))
		}
		own = append(own, step)
	}
	return own, ""
}

// indexOf returns the index of an item in a list of the configuration, or -1.
func (m *Merge) indexOf(path []any, node *structuralschema.Structural, list any, name string) int {
	at := jsonvalue.PathString(path)
	if m.indexes[at] == nil {
		items, _ := list.([]any)
		indexes := make(map[string]int, len(items))
		for i, item := range items {
			indexes[nameOf(identity(node, item))] = i
		}
		if m.indexes == nil {
			m.indexes = map[string]map[string]int{}
		}
		m.indexes[at] = indexes
	}
	if i, ok := m.indexes[at][name]; ok {
		return i
	}
	return -1
}

// identity returns what identifies an item of a list for its owners, as a part of a field
// path. It returns nil for the item of an atomic list, which has no owner of its own.
func identity(list *structuralschema.Structural, item any) (part any) {
	if list == nil || list.XListType == nil {
		return nil
	}
	switch *list.XListType {
	case "set":
		return value.NewValueInterface(item)
	case "map":
		keys := value.FieldList{}
		for _, name := range list.XListMapKeys {
			if v, ok := keyOf(list, item, name); ok {
				keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(v)})
			}
		}
		keys.Sort()
		return &keys
	}
	return nil
}

// nameOf formats an identity, such as name="a".
func nameOf(part any) string {
	path, err := fieldpath.MakePath(part)
	if err != nil {
		return "" // no key has a value
	}
	return strings.Trim(path.String(), "[=]")
}

// keyOf returns a key of an item of a map list, or its default.
func keyOf(list *structuralschema.Structural, item any, name string) (any, bool) {
	if v, ok := jsonvalue.At(item, []any{name}); ok {
		return v, true
	}
	byDefault := list.Items.Properties[name].Default.Object
	return byDefault, byDefault != nil
}

func describeAbsent(item string, owners []string) string {
	subject := "this value"
	if item != "" {
		subject = "the item " + item
	}
	if len(owners) == 0 {
		return fmt.Sprintf("The merged object has %s, which this document lacks.", subject)
	}
	managers := strings.Join(owners, " and ")
	return fmt.Sprintf("The merged object still has %s, which this document lacks: %s owns it, or a part of it. Apply it here, too, or remove it as %s first.", subject, managers, managers)
}

// A Shared field is a field that several managers have set. Managers has the others.
type Shared struct {
	Path     fieldpath.Path
	Managers []string
}

// Names returns the names of the fields that lead to the field, up to the first item of a list.
func (s Shared) Names() (names []string) {
	for _, step := range s.Path {
		if step.FieldName == nil {
			break
		}
		names = append(names, *step.FieldName)
	}
	return names
}

// Kept returns the fields that a manager has applied before a request but not in it, and that
// other managers own after it. It returns nil if the version of the applied fields changed.
func Kept(before, after []metav1.ManagedFieldsEntry, manager string) (kept []Shared) {
	former, version := applied(before, manager)
	current, currentVersion := applied(after, manager)
	if former == nil || current == nil || version != currentVersion {
		return nil
	}
	former.Difference(current).Leaves().Iterate(func(path fieldpath.Path) {
		if managers := ownersOf(after, path); len(managers) > 0 {
			kept = append(kept, Shared{path.Copy(), managers})
		}
	})
	return kept
}

// Updated returns the fields that a manager has set with create and update requests and does not
// apply: an apply request never removes them.
func Updated(entries []metav1.ManagedFieldsEntry, manager string) (kept []Shared) {
	own, version := applied(entries, manager)
	for _, entry := range entries {
		if entry.Manager != manager || entry.Operation != metav1.ManagedFieldsOperationUpdate || entry.Subresource != "" || entry.APIVersion != version {
			continue
		}
		if set := fieldsOf(entry); set != nil && own != nil {
			set.Difference(own).Leaves().Iterate(func(path fieldpath.Path) { kept = append(kept, Shared{path.Copy(), []string{manager}}) })
		}
	}
	return kept
}

// Taken returns the fields that other managers owned before a request of a manager, and that it owns
// instead of them after it. Of an update, only those count that others had applied.
func Taken(before, after []metav1.ManagedFieldsEntry, manager string, byUpdate bool) (taken []Shared) {
	for _, entry := range before {
		former := fieldsOf(entry)
		if entry.Manager == manager || entry.Subresource != "" || former == nil || byUpdate && entry.Operation != metav1.ManagedFieldsOperationApply {
			continue
		}
		current := &fieldpath.Set{}
		isSame := func(e metav1.ManagedFieldsEntry) bool {
			return e.Manager == entry.Manager && e.Operation == entry.Operation && e.Subresource == ""
		}
		if i := slices.IndexFunc(after, isSame); i >= 0 {
			if after[i].APIVersion != entry.APIVersion {
				continue
			}
			current = cmp.Or(fieldsOf(after[i]), current)
		}
		former.Difference(current).Leaves().Iterate(func(path fieldpath.Path) {
			if slices.Contains(ownersOf(after, path), manager) {
				taken = append(taken, Shared{path.Copy(), []string{entry.Manager}})
			}
		})
	}
	return taken
}

// applied returns the fields that a manager has applied, and the version of their names.
func applied(entries []metav1.ManagedFieldsEntry, manager string) (set *fieldpath.Set, version string) {
	for _, entry := range entries {
		if entry.Manager == manager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Subresource == "" {
			return fieldsOf(entry), entry.APIVersion
		}
	}
	return nil, ""
}

// fieldsOf returns the fields of an entry, or nil.
func fieldsOf(entry metav1.ManagedFieldsEntry) *fieldpath.Set {
	set := &fieldpath.Set{}
	if entry.FieldsV1 == nil || set.FromJSON(entry.FieldsV1.GetRawReader()) != nil {
		return nil
	}
	return set
}

// Of returns the managers that own a field or a part of it, without duplicates. The parts of
// the path are as for [fieldpath.MakePath].
func Of(entries []metav1.ManagedFieldsEntry, path ...any) []string {
	at, err := fieldpath.MakePath(path...)
	if err != nil {
		return nil
	}
	return ownersOf(entries, at)
}

func ownersOf(entries []metav1.ManagedFieldsEntry, at fieldpath.Path) (managers []string) {
	for _, entry := range entries {
		set := fieldsOf(entry)
		if set == nil {
			continue
		}
		below := set
		for _, step := range at {
			below = below.WithPrefix(step)
		}
		if (set.Has(at) || !below.Empty()) && !slices.Contains(managers, entry.Manager) {
			managers = append(managers, entry.Manager)
		}
	}
	return managers
}
