package source

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestEntriesAreFound compares the index of a wide mapping with a linear
// search, for duplicate keys, keys that are not strings, and merged keys.
func TestEntriesAreFound(t *testing.T) {
	var text strings.Builder
	text.WriteString("base: &base {a: 1, merged: 2, y: 3, 0x10: 4}\nmore: &more {merged: 5, other: 6, on: 7}\nwide:\n")
	for i := range wideMapping {
		fmt.Fprintf(&text, "  key%d: %d\n", i, i)
	}
	text.WriteString("  a: 8\n  key3: again\n  yes: 9\n  16: 10\n  \"\": 11\n  ? [x]\n  : 12\n  <<: [*base, *more]\n  n: 13\n  \"false\": 14\n")
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text.String()), &doc); err != nil {
		t.Fatal(err)
	}
	var index keyIndex
	_, mapping := findEntry(doc.Content[0], "wide")
	if mapping == nil || len(mapping.Content) <= 2*wideMapping {
		t.Fatal("no wide mapping")
	}
	names := []string{"", "absent", "true", "false", "16", "y", "yes", "on", "n", "0x10"}
	for k := range pairs(mapping) {
		names = append(names, k.Value)
	}
	found := 0
	for _, name := range names {
		wantKey, wantValue := findEntry(mapping, name)
		gotKey, gotValue := index.find(mapping, name)
		if gotKey != wantKey || gotValue != wantValue {
			t.Errorf("%q: found %s, want %s", name, shown(gotValue), shown(wantValue))
		}
		if gotValue != nil {
			found++
		}
	}
	if found < wideMapping+8 {
		t.Errorf("only %d of %d names were found", found, len(names))
	}
}

func shown(node *yaml.Node) string {
	if node == nil {
		return "nothing"
	}
	return node.Value
}
