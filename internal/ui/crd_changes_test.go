package ui

import (
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

func TestChangeLocationAndKeyword(t *testing.T) {
	for _, c := range []struct{ field, schemaPath, location, keyword string }{
		{"spec.scope", "", "spec.scope", ""},
		{"spec.versions[1].served", "", "spec.versions[1].served", ""},
		{"spec.versions[0].schema.openAPIV3Schema.type", "", "v1 the object", "type"},
		{"spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[items]",
			"properties[spec].properties[items]", "v1 spec.items", ""},
		{"spec.versions[0].schema.openAPIV3Schema.properties[jobs].items.additionalProperties.properties[a].maximum",
			"properties[jobs].items.additionalProperties.properties[a]", "v1 jobs[*][*].a", "maximum"},
	} {
		change := playground.CRDChange{Version: "v1", Field: c.field, SchemaPath: c.schemaPath}
		if location, keyword := changeLocation(change), changeKeyword(change); location != c.location || keyword != c.keyword {
			t.Errorf("%s: got %q, %q, want %q, %q", c.field, location, keyword, c.location, c.keyword)
		}
	}
}

func TestShellWord(t *testing.T) {
	for text, want := range map[string]string{
		"spec.color=blue":  "spec.color=blue",
		"spec.color=":      "spec.color=",
		`spec.color=a\=b`:  `'spec.color=a\=b'`,
		"spec.color=it's":  `'spec.color=it'\''s'`,
		"spec.color=$(rm)": "'spec.color=$(rm)'",
	} {
		if got := shellWord(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
