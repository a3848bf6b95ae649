package ui

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// TestPlainLinesAreYAML compares lines written without the YAML library to the
// library's output.
func TestPlainLinesAreYAML(t *testing.T) {
	values := []any{nil, true, false}
	for _, number := range []string{"0", "-0", "7", "-12", "1.5", "1e3", "999999999999999999", "9999999999999999999"} {
		values = append(values, json.Number(number))
	}
	for _, text := range []string{
		"", "a", "y", "Y", "n", "N", "yes", "No", "ON", "off", "true", "FALSE", "null", "Null", "NULL", "nan", "inf", "e5", "x.y", "a-b", "a_b", "a/b",
		"a b", "a: b", "a #b", "a:", "1", "0x1", "-", "~", "=", "<<", "é", "a\nb", "a\tb", " a", "a ", "2001-01-01", strings.Repeat("a", 60), strings.Repeat("ab ", 60),
	} {
		values = append(values, text)
	}
	plain := 0
	for _, value := range values {
		for _, holder := range []any{map[string]any{"key": value}, []any{value}} {
			plain += checkPlain(t, holder)
		}
		if key, ok := value.(string); ok {
			plain += checkPlain(t, map[string]any{key: "value"})
		}
	}
	if plain < 40 {
		t.Errorf("only %d lines are written without the library", plain)
	}
}

func checkPlain(t *testing.T, holder any) int {
	got, ok := plainLine(holder)
	if !ok {
		return 0
	}
	want, err := yaml.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	if got+"\n" != string(want) {
		t.Errorf("%v: %q, want %q", holder, got, want)
	}
	return 1
}
