package verdict

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
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

// scenarioOf reads a case: each text of the scenario is in a file of the same
// name, oldCrd in old-crd.yaml; the other fields are in scenario.json.
func scenarioOf(archive *txtar.Archive) (playground.Scenario, error) {
	s := playground.Scenario{Now: caseTime}
	fields := map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutSuffix(f.Name, textSuffix); ok {
			fields[camelCase(name)] = string(f.Data)
		}
		if f.Name != parametersFile {
			continue
		}
		if err := json.Unmarshal(f.Data, &s); err != nil {
			return s, fmt.Errorf("%s: %w", parametersFile, err)
		}
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(data, &s)
}

const (
	textSuffix     = ".yaml"
	parametersFile = "scenario.json"
)

var (
	afterHyphen = regexp.MustCompile(`-[a-z]`)
	capital     = regexp.MustCompile(`[A-Z]`)
)

func camelCase(name string) string {
	return afterHyphen.ReplaceAllStringFunc(name, func(found string) string { return strings.ToUpper(found[1:]) })
}

func kebabCase(name string) string {
	return capital.ReplaceAllStringFunc(name, func(found string) string { return "-" + strings.ToLower(found) })
}

// Format is a scenario as a case file, without what the engine's cases want.
func Format(title string, s playground.Scenario) (string, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return "", err
	}
	parameters := map[string]any{}
	if err := json.Unmarshal(data, &parameters); err != nil {
		return "", err
	}
	archive := &txtar.Archive{Comment: []byte(title + "\n")}
	delete(parameters, "now")
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		if text, ok := parameters[name].(string); ok && (name == "crd" || strings.Contains(text, "\n")) {
			archive.Files = append(archive.Files, txtar.File{Name: kebabCase(name) + textSuffix, Data: []byte(text)})
			delete(parameters, name)
		}
	}
	if len(parameters) > 0 {
		data, err := json.Marshal(parameters)
		if err != nil {
			return "", err
		}
		archive.Files = append(archive.Files, txtar.File{Name: parametersFile, Data: data})
	}
	return string(txtar.Format(archive)), nil
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

// generateNames are the prefixes from which the API server makes names.
func generateNames(s playground.Scenario) []string {
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
