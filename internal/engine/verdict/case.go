package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// caseTime is when the requests of all cases arrive.
const caseTime = "2026-01-02T03:04:05Z"

// Case is a scenario that is kept in a file.
type Case struct {
	// Stage and Name are the directory and the name of the file: testdata has
	// <stage>/<name>.txtar.
	Stage, Name string
	Scenario    playground.Scenario
}

// texts are the files of a case that hold the texts of its scenario.
func texts(s *playground.Scenario) map[string]*string {
	return map[string]*string{
		"crd.yaml":        &s.CRD,
		"old-crd.yaml":    &s.OldCRD,
		"object.yaml":     &s.Object,
		"old-object.yaml": &s.OldObject,
		"conversion.yaml": &s.Conversion,
	}
}

// Cases are all cases in the directories of testdata, in the order of their
// paths.
func Cases(testdata fs.FS) ([]Case, error) {
	files, err := fs.Glob(testdata, "*/*.txtar")
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var cases []Case
	for _, file := range files {
		data, err := fs.ReadFile(testdata, file)
		if err != nil {
			return nil, err
		}
		c := Case{Stage: path.Dir(file), Name: strings.TrimSuffix(path.Base(file), ".txtar")}
		if c.Scenario, err = scenarioOf(txtar.Parse(data)); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func scenarioOf(archive *txtar.Archive) (playground.Scenario, error) {
	s := playground.Scenario{Now: caseTime}
	for _, f := range archive.Files {
		if text, ok := texts(&s)[f.Name]; ok {
			*text = string(f.Data)
		}
		if f.Name != "scenario.json" {
			continue
		}
		if err := json.Unmarshal(f.Data, &s); err != nil {
			return s, fmt.Errorf("scenario.json: %w", err)
		}
	}
	return s, nil
}

// Format is a scenario as a case file, without what the engine's cases want.
func Format(title string, s playground.Scenario) string {
	archive := &txtar.Archive{Comment: []byte(title + "\n\n")}
	for _, name := range []string{"old-crd.yaml", "crd.yaml", "old-object.yaml", "object.yaml", "conversion.yaml"} {
		text := texts(&s)[name]
		if *text != "" {
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(*text)})
		}
		*text = ""
	}
	s.Now = ""
	if parameters, err := json.Marshal(s); err == nil && string(parameters) != `{"crd":""}` {
		archive.Files = append(archive.Files, txtar.File{Name: "scenario.json", Data: parameters})
	}
	return string(txtar.Format(archive))
}

// inputs identifies the scenario of a case.
func (c Case) inputs() string {
	data, err := json.Marshal(c.Scenario)
	if err != nil {
		panic(err) // a struct of strings
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// GenerateNames are the prefixes from which the API server makes names.
func GenerateNames(s playground.Scenario) []string {
	var prefixes []string
	for _, text := range []string{s.CRD, s.Object} {
		file, _ := source.Parse(text, source.Limits{})
		if file == nil {
			continue
		}
		for _, document := range file.Documents {
			if prefix, _ := document.Lookup("metadata", "generateName"); prefix != "" {
				prefixes = append(prefixes, prefix)
			}
		}
	}
	return prefixes
}
