// Package examples is the gallery: scenarios to learn from, one file each.
package examples

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
)

// Example is a scenario together with what there is to see in it.
type Example struct {
	// ID names the example in links; it is the name of its file.
	ID    string `json:"id"`
	Title string `json:"title"`
	// Group is the heading under which the gallery has the example.
	Group string `json:"group"`
	// Note says in a sentence or two what to notice.
	Note     string              `json:"note"`
	Scenario playground.Scenario `json:"scenario"`
}

//go:embed *.txtar
var files embed.FS

type group struct {
	title string
	ids   []string
}

// groups are the gallery in its order; its first example is the default.
var groups = []group{
	{"Schemas", []string{
		"crontab-validation",
		"crontab-defaulting",
		"crontab-pruning",
		"nullable",
		"int-or-string",
		"preserve-unknown-fields",
		"embedded-resource",
		"non-structural",
		"several-objects",
	}},
	{"Validation rules", []string{
		"crontab-rules",
		"trace",
		"message-expression",
		"escaped-names",
		"cost-refused",
		"cost-accepted",
	}},
	{"Updates and apply", []string{
		"transition-rule",
		"optional-old-self",
		"ratcheting",
		"status-subresource",
		"status-update",
		"apply-conflict",
		"apply-merge",
	}},
	{"Subresources and kubectl", []string{
		"printer-columns",
		"scale-subresource",
		"selectable-fields",
	}},
	{"Versions", []string{
		"versions",
		"upgrade-v1beta1",
		"crd-changes",
		"migrate-1-add-version",
		"migrate-2-switch-storage",
		"migrate-3-rewrite-objects",
		"migrate-4-remove-too-early",
		"migrate-5-remove-version",
	}},
	{"Conversion", []string{
		"conversion-pizza",
		"conversion-host-port",
		"conversion-none",
		"conversion-failed",
	}},
	{"Admission", []string{
		"admission-topping-default",
		"admission-unknown-topping",
		"admission-policy",
		"admission-mutating-policy",
	}},
}

// All returns the gallery in its order.
var All = sync.OnceValue(func() []Example {
	var all []Example
	for _, group := range groups {
		for _, id := range group.ids {
			example, err := read(files, id)
			if err != nil {
				panic(err) // The files are part of the program.
			}
			example.Group = group.title
			all = append(all, example)
		}
	}
	return all
})

// Default is what the page shows at first.
func Default() Example { return All()[0] }

// JSON returns the gallery as the page reads it.
var JSON = sync.OnceValues(func() ([]byte, error) {
	return json.Marshal(All())
})

// read reads an example: the first line of the comment is its title, the rest
// its note; the other files make up its scenario, as they do in the cases of
// the engine: the texts, and scenario.json with the rest.
func read(dir fs.FS, id string) (Example, error) {
	text, err := fs.ReadFile(dir, id+".txtar")
	if err != nil {
		return Example{}, fmt.Errorf("example: %w", err)
	}
	archive := txtar.Parse(text)
	title, note, _ := strings.Cut(strings.TrimSpace(string(archive.Comment)), "\n")
	example := Example{ID: id, Title: title, Note: strings.Join(strings.Fields(note), " ")}
	for _, file := range archive.Files {
		if err := fill(&example.Scenario, file); err != nil {
			return Example{}, fmt.Errorf("example %s: %s: %w", id, file.Name, err)
		}
	}
	return example, nil
}

func fill(scenario *playground.Scenario, file txtar.File) error {
	text := map[string]*string{
		"crd.yaml":        &scenario.CRD,
		"old-crd.yaml":    &scenario.OldCRD,
		"object.yaml":     &scenario.Object,
		"old-object.yaml": &scenario.OldObject,
		"conversion.yaml": &scenario.Conversion,
		"admission.yaml":  &scenario.Admission,
	}[file.Name]
	switch {
	case text != nil:
		*text = string(file.Data)
	case file.Name == "scenario.json":
		return json.Unmarshal(file.Data, scenario)
	default:
		return fmt.Errorf("not a file of an example")
	}
	return nil
}
