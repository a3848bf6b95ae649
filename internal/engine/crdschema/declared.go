package crdschema

import (
	"slices"
	"strings"
)

// DeclaredKind is a type of documents among the definitions.
type DocumentKind struct{ group, APIVersion, Kind, Definition string }

// DeclaredIn are those of a group; without a group, all.
func (t *Types) DocumentKinds(group string) []*DocumentKind {
	all := t.declaredKinds()
	if group == "" {
		return all
	}
	return slices.DeleteFunc(all, func(d *DocumentKind) bool { return d.group != group })
}

// declaredKinds are those that an admission text may have, policies first.
func (t *Types) declaredKinds() []*DocumentKind {
	var declared []*DocumentKind
	for name, definition := range t.Definitions {
		kinds, _ := definition.Schema.Extensions["x-kubernetes-group-version-kind"].([]any)
		for _, of := range kinds {
			names, _ := of.(map[string]any)
			group, _ := names["group"].(string)
			version, _ := names["version"].(string)
			kind, _ := names["kind"].(string)
			declared = append(declared, &DocumentKind{group, strings.TrimPrefix(group+"/"+version, "/"), kind, name})
		}
	}
	slices.SortFunc(declared, func(a, b *DocumentKind) int { return strings.Compare(declaredRank(a), declaredRank(b)) })
	return declared
}

// declaredRank sorts policies, their bindings and webhooks before the rest, and
// what validates before what mutates.
func declaredRank(d *DocumentKind) string {
	for rank, part := range []string{"ValidatingAdmission", "MutatingAdmission", "ValidatingWebhook", "MutatingWebhook", "AdmissionReview"} {
		if strings.HasPrefix(d.Kind, part) {
			return string(rune('0'+rank)) + d.Kind
		}
	}
	return "9" + d.Kind
}
