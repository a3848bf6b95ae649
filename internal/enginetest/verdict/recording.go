package verdict

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// recordingFile is the name, in the directory of a stage's cases, of what a
// real API server answered to them: one line for each case.
const recordingFile = "recorded.jsonl"

// Recording is what a real API server answered to a case.
type Recording struct {
	// Case is the name of the case, with its stage.
	Case string `json:"case"`
	// Inputs identifies the scenario that was recorded.
	Inputs string `json:"inputs"`
	// Unasked is why the server was not asked; then there is no verdict.
	Unasked string `json:"unasked,omitempty"`
	// Verdict is normal.
	Verdict *Verdict `json:"verdict,omitempty"`
}

// Record is the recording of a case, whose verdict is normal.
func Record(c cases.Case, v Verdict) Recording {
	return Recording{Case: c.Name, Inputs: inputs(c.Scenario), Verdict: &v}
}

// RecordUnasked is the recording of a case that the server was not asked about.
func RecordUnasked(c cases.Case, why string) Recording {
	return Recording{Case: c.Name, Inputs: inputs(c.Scenario), Unasked: why}
}

// IsOf says whether r is of the case as it is now.
func (r Recording) IsOf(c cases.Case) bool { return r.Case == c.Name && r.Inputs == inputs(c.Scenario) }

// inputs identifies a scenario.
func inputs(s playground.Scenario) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("a scenario is JSON: %v", err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// ReadRecordings reads the recordings below the directory of all cases, by the
// name of the case.
func ReadRecordings(dir string) (map[string]Recording, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", recordingFile))
	if err != nil {
		return nil, err
	}
	recordings := map[string]Recording{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.UseNumber()
		for decoder.More() {
			var r Recording
			if err := decoder.Decode(&r); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			recordings[r.Case] = r
		}
	}
	return recordings, nil
}

// WriteRecordings replaces the recordings of the stages that the given ones
// are of, below the directory of all cases.
func WriteRecordings(dir string, recordings []Recording) error {
	files := map[string]*bytes.Buffer{}
	for _, r := range recordings {
		stage := filepath.Dir(filepath.FromSlash(r.Case))
		if files[stage] == nil {
			files[stage] = &bytes.Buffer{}
		}
		encoder := json.NewEncoder(files[stage])
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("record %s: %w", r.Case, err)
		}
	}
	for stage, data := range files {
		if err := os.WriteFile(filepath.Join(dir, stage, recordingFile), data.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
