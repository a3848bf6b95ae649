package expect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// absent is the expected value of a field that is not stored.
const absent = "absent"

// storedIn returns the expected fields of a document.
func (t *test) storedIn(d *manifest.Document) []stored {
	var all []stored
	for _, s := range t.expectations[d.File.Path].stored {
		if d.Range.Start.Line <= s.line && s.line <= d.Range.End.Line {
			all = append(all, s)
		}
	}
	return all
}

// failStored adds the expected fields of a document to the failures, because its request is
// rejected.
func (t *test) failStored(d *manifest.Document) {
	for _, s := range t.storedIn(d) {
		t.failUnmet(d.File.Path, s.line+1, fmt.Sprintf("stored: the request is rejected, want %s", s.value))
	}
}

// compareStored compares the stored object with the expectations in its document.
func (t *test) compareStored(d *manifest.Document, o playground.Object) {
	parsed, _ := source.Parse(d.Text, source.DefaultLimits)
	if len(parsed.Documents) == 0 {
		return
	}
	for _, s := range t.storedIn(d) {
		path := fieldOf(parsed.Documents[0], s.line-d.Range.Start.Line)
		var object, expected any
		if err := json.Unmarshal(o.Stored, &object); err != nil && !o.Deleted {
			continue
		}
		value, found := lookup(object, path)
		if s.value == absent {
			if found {
				t.failUnmet(d.File.Path, s.line+1, fmt.Sprintf("stored: got %s, want it to be absent", encoded(value)))
			}
			continue
		}
		if err := yaml.Unmarshal([]byte(s.value), &expected); err != nil || !found || !reflect.DeepEqual(value, expected) {
			got := absent
			if found {
				got = encoded(value)
			}
			t.failUnmet(d.File.Path, s.line+1, fmt.Sprintf("stored: got %s, want %s", got, s.value))
		}
	}
}

// encoded returns the JSON of a value without escapes for HTML.
func encoded(value any) string {
	text, _ := playground.EncodeJSON(value) // It was JSON.
	return string(text)
}

// fieldOf returns the path of the field on a line of a document.
func fieldOf(d *source.Document, line int) []any {
	text := strings.Split(d.Text, "\n")
	if line >= len(text) {
		return nil
	}
	column := len(text[line]) - len(strings.TrimLeft(text[line], " -"))
	return d.PathAt(playground.Position{Line: line, Character: column})
}

func lookup(value any, path []any) (any, bool) {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			fields, _ := value.(map[string]any)
			field, ok := fields[step]
			if !ok {
				return nil, false
			}
			value = field
		case int:
			items, _ := value.([]any)
			if step >= len(items) {
				return nil, false
			}
			value = items[step]
		}
	}
	return value, true
}
