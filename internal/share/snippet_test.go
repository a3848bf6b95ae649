package share

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// TestIDsAreStable compares ids with ids of released versions: existing links must
// keep working, and equal scenarios must have equal links.
func TestIDsAreStable(t *testing.T) {
	for _, c := range []struct {
		scenario  playground.Scenario
		id, value string
	}{
		{playground.Scenario{}, "siSSo2EoPZlcxJzgG0Z", `{"crd":""}`},
		{playground.Scenario{CRD: "kind: <é>&\u2028\n"}, "n1YxvvAYhFKvB5T1xD9", `{"crd":"kind: <é>&\u2028\n"}`},
		{playground.Scenario{CRD: "a", Object: "b", FieldValidation: "Warn"}, "qH1atr0mStKoaIhR77M", `{"crd":"a","object":"b","fieldValidation":"Warn"}`},
		{playground.Scenario{CRD: "a", FieldValidation: "Strict"}, "1e1fy2flpQMCeeOXHqx", `{"crd":"a"}`},
		{playground.Scenario{CRD: "a"}, "1e1fy2flpQMCeeOXHqx", `{"crd":"a"}`},
	} {
		id, value, err := Encode(c.scenario)
		if err != nil {
			t.Fatal(err)
		}
		if id != c.id || string(value) != c.value || !IsID(id) {
			t.Errorf("id %q, value %s; want %q, %s", id, value, c.id, c.value)
		}
		c.scenario.FieldValidation = strings.TrimSuffix(c.scenario.FieldValidation, "Strict")
		if got, err := Decode(value); err != nil || !reflect.DeepEqual(got, c.scenario) {
			t.Errorf("decoded %+v, %v; want %+v", got, err, c.scenario)
		}
	}
}

func TestDecodeIgnoresUnknownFields(t *testing.T) {
	got, err := Decode([]byte(`{"crd":"a","later":{"version":2}}`))
	if want := (playground.Scenario{CRD: "a"}); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := Decode([]byte(`{"crd":`)); err == nil {
		t.Error("decoded incomplete JSON")
	}
}

func TestIsID(t *testing.T) {
	for text, want := range map[string]bool{
		"":                     false,
		"0123456789abcdefXYZ":  true,
		"0123456789abcdefXY":   false,
		"0123456789abcdefXYZ0": false,
		"0123456789abcdef/..":  false,
		"0123456789-bcdefXYZ":  false,
		"0123456789abcdefé":    false,
	} {
		if IsID(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestYAMLJoinsDocuments(t *testing.T) {
	for _, c := range []struct{ crd, object, want string }{
		{"a: 1\n", "b: 2\n", "a: 1\n---\nb: 2\n"},
		{"a: 1", "b: 2", "a: 1\n---\nb: 2\n"},
		{"a: 1\n", "---\nb: 2\n---\nc: 3\n", "a: 1\n---\nb: 2\n---\nc: 3\n"},
		{"a: 1\n", "%YAML 1.2\n---\nb: 2\n", "a: 1\n...\n%YAML 1.2\n---\nb: 2\n"},
		{`{"a": 1}`, `{"b": 2}`, "{\"a\": 1}\n---\n{\"b\": 2}\n"},
		{"a: 1\n", " \n", "a: 1\n"},
		{"", "b: 2\n", "b: 2\n"},
		{"", "", ""},
	} {
		if got := YAML(playground.Scenario{CRD: c.crd, Object: c.object}); got != c.want {
			t.Errorf("%q and %q: got %q, want %q", c.crd, c.object, got, c.want)
		}
	}
}

func TestMemoryIsBounded(t *testing.T) {
	store := &memory{values: map[string]memoryValue{}, limit: 10}
	ctx := context.Background()
	for _, step := range []struct {
		id, value string
		want      error
	}{{"a", "12345", nil}, {"a", "12345", nil}, {"b", "123456", ErrFull}, {"b", "12345", nil}, {"c", "1", ErrFull}} {
		if err := store.Put(ctx, step.id, []byte(step.value), time.Time{}); !errors.Is(err, step.want) {
			t.Errorf("put %s: %v, want %v", step.id, err, step.want)
		}
	}
	if err := store.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if err := store.Put(ctx, "c", []byte("12345"), time.Time{}); err != nil {
		t.Errorf("the deletion freed no space: %v", err)
	}
}
