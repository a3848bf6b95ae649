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
	// Note says in a sentence or two what to notice.
	Note     string              `json:"note"`
	Scenario playground.Scenario `json:"scenario"`
}

//go:embed *.txtar
var files embed.FS

// order is that of the gallery; the first is the default.
var order = []string{
	"crontab-validation",
	"crontab-defaulting",
	"crontab-pruning",
	"crontab-rules",
	"nullable",
	"printer-columns",
	"message-expression",
	"cost-refused",
	"cost-accepted",
	"non-structural",
	"int-or-string",
	"preserve-unknown-fields",
	"embedded-resource",
	"status-subresource",
	"versions",
	"scale-subresource",
	"selectable-fields",
	"upgrade-v1beta1",
	"crd-changes",
	"migrate-1-add-version",
	"migrate-2-switch-storage",
	"migrate-3-rewrite-objects",
	"migrate-4-remove-too-early",
	"migrate-5-remove-version",
	"several-objects",
}

// All returns the gallery in its order.
var All = sync.OnceValue(func() []Example {
	all := make([]Example, 0, len(order))
	for _, id := range order {
		example, err := read(files, id)
		if err != nil {
			panic(err) // The files are part of the program.
		}
		all = append(all, example)
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
// its note; the other files make up its scenario: crd.yaml, old-crd.yaml,
// object.yaml, old-object.yaml and options.json with the rest.
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
	switch file.Name {
	case "crd.yaml":
		scenario.CRD = string(file.Data)
	case "old-crd.yaml":
		scenario.OldCRD = string(file.Data)
	case "object.yaml":
		scenario.Object = string(file.Data)
	case "old-object.yaml":
		scenario.OldObject = string(file.Data)
	case "options.json":
		return json.Unmarshal(file.Data, scenario)
	default:
		return fmt.Errorf("not a file of an example")
	}
	return nil
}
