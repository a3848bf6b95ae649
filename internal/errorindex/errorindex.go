// Package errorindex explains the errors of the API server, one file for each kind of error.
package errorindex

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// A Page explains a kind of error.
type Page struct {
	// Code is the [playground.Finding.Code] of the error, and the name of the page's file.
	Code string
	// Group is the subject under which the index lists the page.
	Group string
	// Message is the API server's message, after the field if the message alone is not
	// specific. It has placeholders such as <field>, and … for longer parts.
	Message string
	// Cause and Fix are one or a few sentences each.
	Cause, Fix string
	// Example is the id of the gallery example that has the error; empty if the page has a
	// scenario of its own.
	Example  string
	Scenario playground.Scenario
	Finding  Finding
	// Changes remove the error from the scenario; empty if a quick fix does.
	Changes []Change
	changed playground.Scenario
}

// A Finding is the error in the scenario of a page.
type Finding struct {
	Document playground.Document `json:"document"`
	Field    string              `json:"field"`
	Message  string              `json:"message"`
	Range    playground.Range    `json:"range"`
	// Fix removes the error from the scenario; nil if no quick fix does.
	Fix *playground.Fix `json:"fix,omitempty"`
}

// Fixed returns the scenario without the error, and whether there is one.
func (p Page) Fixed() (playground.Scenario, bool) {
	scenario := p.Scenario
	if p.Finding.Fix == nil {
		return p.changed, len(p.Changes) > 0
	}
	edits := map[playground.Document][]edit.Edit{}
	for _, e := range p.Finding.Fix.Edits {
		edits[e.Document] = append(edits[e.Document], edit.Edit{Range: e.Range, NewText: e.NewText})
	}
	for document, edits := range edits {
		text := scenario.Text(document)
		*text = edit.Apply(*text, edits...)
	}
	return scenario, true
}

//go:embed *.txtar
var files embed.FS

//go:embed findings.json
var findingsJSON []byte

// exampleFile contains the id of the gallery example that has the error. It replaces the
// files of a scenario.
const exampleFile = "example"

// All returns the pages in the order of the index.
var All = sync.OnceValue(func() []Page {
	var findings map[string]Finding
	if err := json.Unmarshal(findingsJSON, &findings); err != nil {
		panic(err) // The file is part of the program.
	}
	var all []Page
	for _, group := range groups {
		for _, code := range group.codes {
			page, err := read(code)
			if err != nil {
				panic(err) // The files are part of the program.
			}
			page.Group, page.Finding = group.title, findings[code]
			all = append(all, page)
		}
	}
	return all
})

// read reads a page. The comment of its file has the message, the cause and the fix, separated
// by empty lines.
func read(code string) (Page, error) {
	text, err := files.ReadFile(code + ".txtar")
	if err != nil {
		return Page{}, fmt.Errorf("error page: %w", err)
	}
	archive := txtar.Parse(text)
	paragraphs := strings.Split(strings.TrimSpace(string(archive.Comment)), "\n\n")
	if len(paragraphs) != 3 {
		return Page{}, fmt.Errorf("error page %s: has %d paragraphs, want message, cause and fix", code, len(paragraphs))
	}
	for i, paragraph := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(paragraph), " ")
	}
	page := Page{Code: code, Message: paragraphs[0], Cause: paragraphs[1], Fix: paragraphs[2]}
	scenario, fixed := archive.Files, ""
	if last := len(scenario) - 1; scenario[last].Name == fixedFile {
		scenario, fixed = scenario[:last], string(scenario[last].Data)
	}
	if page.Example, page.Scenario, err = readScenario(scenario); err != nil {
		return Page{}, fmt.Errorf("error page %s: %w", code, err)
	}
	for _, m := range fileDiff.FindAllStringSubmatch(fixed, -1) {
		page.Changes = append(page.Changes, Change{m[1], m[2]})
	}
	if page.changed, err = applyChanges(page.Scenario, page.Changes); err != nil {
		return Page{}, fmt.Errorf("error page %s: fixed: %w", code, err)
	}
	return page, nil
}

func readScenario(files []txtar.File) (id string, scenario playground.Scenario, err error) {
	if len(files) != 1 || files[0].Name != exampleFile {
		scenario, err = examples.Scenario(files)
		return "", scenario, err
	}
	id = strings.TrimSpace(string(files[0].Data))
	for _, example := range examples.All() {
		if example.ID == id {
			return id, example.Scenario, nil
		}
	}
	return "", scenario, fmt.Errorf("there is no example %s", id)
}
