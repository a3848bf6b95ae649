// Package cases reads and writes the engine's test cases. A case is a txtar file
// with
//   - the documents of a scenario, such as crd.yaml and object.yaml;
//   - scenario.json, with the other fields of the scenario;
//   - instead of both, a file named example with the id of a gallery example;
//   - want.yaml, with what deviates from a plain request in the wanted report; or
//     report.yaml, with the complete report. [Expectation] describes their form.
package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
)

// Now is the time of the requests of all cases.
const Now = "2026-01-02T03:04:05Z"

const (
	scenarioFile = "scenario.json"
	wantFile     = "want.yaml"
	// completeFile replaces wantFile in one case of each directory, so that a new field of
	// the report is seen.
	completeFile = "report.yaml"
	// exampleFile contains the id of the gallery example that has the scenario.
	exampleFile = "example"
)

// examples is the directory of the gallery, relative to the directory of the
// cases.
const examples = "../../examples"

// A Case is a test case of the engine.
type Case struct {
	// Name is the directory and the file name without extension, such as
	// "prune/preserve".
	Name     string
	Scenario playground.Scenario
	// Want is the wanted report, encoded by [Expectation.Encode]; empty if the file has none yet.
	Want []byte
	// Complete reports that Want is a complete report.
	Complete bool
	// Example is the id of the gallery example that has the scenario; empty for
	// most cases.
	Example string

	file    string
	archive *txtar.Archive
}

// Read reads the cases in the subdirectories of dir, ordered by name.
func Read(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no cases in %s", dir)
	}
	cases := make([]Case, len(files))
	for i, file := range files {
		if cases[i], err = readFile(file); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// documents maps file names to the documents of a scenario.
func documents(s *playground.Scenario) map[string]*string {
	return map[string]*string{
		"crd.yaml":        &s.CRD,
		"types.go":        &s.Go,
		"old-crd.yaml":    &s.OldCRD,
		"object.yaml":     &s.Object,
		"old-object.yaml": &s.OldObject,
		"conversion.yaml": &s.Conversion,
		"admission.yaml":  &s.Admission,
	}
}

func readFile(file string) (Case, error) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		return Case{}, err
	}
	inputs, err := scenarioFiles(archive, filepath.Join(filepath.Dir(file), "..", examples))
	if err != nil {
		return Case{}, fmt.Errorf("%s: %w", file, err)
	}
	c := Case{
		Name:     filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".txtar"),
		Scenario: playground.Scenario{Now: Now},
		file:     file,
		archive:  archive,
	}
	for _, f := range inputs {
		switch document := documents(&c.Scenario)[f.Name]; {
		case document != nil:
			*document = string(f.Data)
		case f.Name == wantFile, f.Name == completeFile:
			c.Want, c.Complete = f.Data, f.Name == completeFile
		case f.Name == exampleFile:
			c.Example = strings.TrimSpace(string(f.Data))
		case f.Name != scenarioFile:
			return c, fmt.Errorf("%s: unknown file %s", file, f.Name)
		default:
			if err := json.Unmarshal(f.Data, &c.Scenario); err != nil {
				return c, fmt.Errorf("%s: %s: %w", file, scenarioFile, err)
			}
		}
	}
	return c, nil
}

// scenarioFiles returns the files of a case and of its example.
func scenarioFiles(archive *txtar.Archive, examples string) ([]txtar.File, error) {
	files := archive.Files
	for _, f := range archive.Files {
		if f.Name != exampleFile {
			continue
		}
		example, err := txtar.ParseFile(filepath.Join(examples, strings.TrimSpace(string(f.Data))+".txtar"))
		if err != nil {
			return nil, err
		}
		files = append(slices.Clone(files), example.Files...)
	}
	return files, nil
}

// Update replaces the wanted report in the file of the case.
func (c Case) Update(want []byte) error {
	name := wantFile
	if c.Complete {
		name = completeFile
	}
	c.archive.Files = slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
	c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: want})
	return os.WriteFile(c.file, txtar.Format(c.archive), 0o644)
}

// Format returns a case file with the scenario and no wanted report.
func Format(title string, s playground.Scenario) ([]byte, error) {
	archive := &txtar.Archive{Comment: []byte(title + "\n")}
	byName := documents(&s)
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if *byName[name] != "" {
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(*byName[name])})
		}
		*byName[name] = ""
	}
	s.Now = ""
	if s != (playground.Scenario{}) {
		data, err := json.Marshal(s)
		if err != nil {
			return nil, err
		}
		data = bytes.Replace(data, []byte(`"crd":"",`), nil, 1)
		archive.Files = append(archive.Files, txtar.File{Name: scenarioFile, Data: data})
	}
	return txtar.Format(archive), nil
}
