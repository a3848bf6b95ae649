package crdschema

import (
	"slices"
	"strings"
)

// A DocumentKind is a kind of a whole document among the definitions.
type DocumentKind struct{ group, APIVersion, Kind, Definition string }

// DocumentKinds returns the kinds of an API group, or all kinds if group is empty.
// Admission policies precede other kinds.
func (t *Types) DocumentKinds(group string) []*DocumentKind {
	all := t.allDocumentKinds()
	if group == "" {
		return all
	}
	return slices.DeleteFunc(all, func(d *DocumentKind) bool { return d.group != group })
}

func (t *Types) allDocumentKinds() []*DocumentKind {
	var all []*DocumentKind
	for name, definition := range t.Definitions {
		kinds, _ := definition.Schema.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, of := range kinds {
			names, _ := of.(map[string]any)
			group, _ := names["group"].(string)
			version, _ := names["version"].(string)
			kind, _ := names["kind"].(string)
			all = append(all, &DocumentKind{group, strings.TrimPrefix(group+"/"+version, "/"), kind, name})
		}
	}
	slices.SortFunc(all, func(a, b *DocumentKind) int { return strings.Compare(sortKey(a), sortKey(b)) })
	return all
}

// sortKey sorts policies, their bindings and webhooks before other kinds, and
// validating kinds before mutating kinds.
func sortKey(d *DocumentKind) string {
	for rank, part := range []string{"ValidatingAdmission", "MutatingAdmission", "ValidatingWebhook", "MutatingWebhook", "AdmissionReview"} {
		if strings.HasPrefix(d.Kind, part) {
			return string(rune('0'+rank)) + d.Kind
		}
	}
	return "9" + d.Kind
}
