package jsonvalue

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSize(t *testing.T) {
	for _, text := range []string{
		`null`, `true`, `false`, `""`, `"a\"b\\c\n\t\u0001<>&é\u2028"`, `-12`, `1.5`, `1e30`, `[]`, `[1,"a",null]`, `{}`, `{"a":1,"b":{"c":[{}]}}`,
	} {
		var value any
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if got, want := Size(value), marshaledSize(t, value); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
	if got, want := Size("\xff"), marshaledSize(t, "\xff"); got != want {
		t.Errorf("invalid UTF-8: %d, want %d", got, want)
	}
	if got := Size(int64(-120)); got != 4 {
		t.Errorf("int64: %d, want 4", got)
	}
}

// marshaledSize returns the size that etcd's limit counts, with escapes for HTML.
func marshaledSize(t *testing.T, value any) int {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return len(data)
}

// TestUnescaped keeps strings that look like escapes.
func TestUnescaped(t *testing.T) {
	const text = `a && b < c > \\u0026 \u003c`
	var decoded string
	encoded := Encode(text)
	if err := json.Unmarshal(encoded, &decoded); err != nil || decoded != text {
		t.Errorf("%s is %q, %v", encoded, decoded, err)
	}
	if want := `"a && b < c > \\\\u0026 \\u003c"`; string(encoded) != want {
		t.Errorf("got %s, want %s", encoded, want)
	}
}

func TestLargestFields(t *testing.T) {
	object := map[string]any{
		"kind": "Thing",
		"spec": map[string]any{
			"text":  strings.Repeat("x", 1000),
			"items": []any{strings.Repeat("a", 50), strings.Repeat("b", 50), strings.Repeat("c", 50)},
		},
	}
	want := []FieldSize{{"spec.text", 1002}, {"spec.items", 160}}
	if diff := cmp.Diff(want, Measure(object, 50).Largest(2, 100)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
