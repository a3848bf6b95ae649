package ui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
)

// selection is a field selector with the titles of the selected objects.
type selection struct {
	selector string
	objects  []string
}

// selections returns the field selectors of a version that select any of the
// objects, sorted alphabetically. It omits metadata fields, which are
// selectable in every resource.
func selections(objects []playground.Object, version string) []selection {
	var all []selection
	for _, object := range objects {
		for _, fields := range object.SelectableFields {
			if fields.Version != version {
				continue
			}
			for _, field := range fields.Fields {
				if !strings.HasPrefix(field.Name, "metadata.") {
					all = addSelection(all, field.Selector, objectTitle(object))
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b selection) int { return cmp.Compare(a.selector, b.selector) })
	return all
}

func addSelection(all []selection, selector, object string) []selection {
	i := slices.IndexFunc(all, func(s selection) bool { return s.selector == selector })
	if i < 0 {
		return append(all, selection{selector, []string{object}})
	}
	all[i].objects = append(all[i].objects, object)
	return all
}

// selectableErrors returns the reasons why selectable fields cannot be
// determined at a version.
func selectableErrors(objects []playground.Object, version string) []string {
	var errors []string
	for _, object := range objects {
		for _, fields := range object.SelectableFields {
			if fields.Version == version && fields.Error != "" {
				errors = append(errors, objectTitle(object)+": "+fields.Error)
			}
		}
	}
	return errors
}

// shellWord quotes an argument for a POSIX shell, if necessary.
func shellWord(text string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:,@%+-"
	if text != "" && strings.Trim(text, plain) == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
