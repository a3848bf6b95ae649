package examples

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestAllFilesAreInTheGallery(t *testing.T) {
	names, err := fs.Glob(files, "*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		names[i] = strings.TrimSuffix(name, ".txtar")
	}
	var listed []string
	for _, example := range All() {
		listed = append(listed, example.ID)
	}
	slices.Sort(listed)
	slices.Sort(names)
	if !slices.Equal(names, listed) {
		t.Errorf("files %v, listed %v", names, listed)
	}
}

func TestExamplesAreComplete(t *testing.T) {
	for _, example := range All() {
		t.Run(example.ID, func(t *testing.T) {
			if len(example.Title) == 0 || len(example.Title) > 40 {
				t.Errorf("title %q: want 1 to 40 characters", example.Title)
			}
			if !strings.HasSuffix(example.Note, ".") {
				t.Errorf("note %q: want sentences", example.Note)
			}
			for document := range strings.SplitSeq(example.Scenario.Object, "\n---\n") {
				var object map[string]any
				if err := yaml.UnmarshalStrict([]byte(document), &object); err != nil {
					t.Errorf("object: %v", err)
				}
			}
			var crd map[string]any
			if err := yaml.UnmarshalStrict([]byte(example.Scenario.CRD), &crd); err != nil {
				t.Errorf("CRD: %v", err)
			}
			if crd["kind"] != "CustomResourceDefinition" {
				t.Errorf("kind %v", crd["kind"])
			}
		})
	}
}

func TestOptions(t *testing.T) {
	i := slices.IndexFunc(All(), func(e Example) bool { return e.ID == "crontab-pruning" })
	if got := All()[i].Scenario.FieldValidation; got != "Ignore" {
		t.Errorf("fieldValidation %q, want Ignore", got)
	}
}

func TestJSONHoldsAll(t *testing.T) {
	text, err := JSON()
	if err != nil {
		t.Fatal(err)
	}
	var decoded []Example
	if err := json.Unmarshal(text, &decoded); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(decoded, All()) {
		t.Error("JSON differs from All")
	}
}
