package cases

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/verdict"
)

// recordingFile is the name of the file with the recordings of a directory of
// cases: one line for each case.
const recordingFile = "recorded.jsonl"

// A Recording is the verdict of a real API server on a case.
type Recording struct {
	// Case is the name of the case, with its directory.
	Case string `json:"case"`
	// Inputs is a hash of the recorded scenario.
	Inputs string `json:"inputs"`
	// Unasked is the reason if the server received no request; then Verdict is
	// nil.
	Unasked string `json:"unasked,omitempty"`
	// Verdict is normalized.
	Verdict *verdict.Verdict `json:"verdict,omitempty"`
}

// Record returns the recording of a case with a normalized verdict.
func Record(c Case, v verdict.Verdict) Recording {
	return Recording{Case: c.Name, Inputs: inputs(c.Scenario), Verdict: &v}
}

// RecordUnasked returns the recording of a case that cannot be sent to a server.
func RecordUnasked(c Case, reason string) Recording {
	return Recording{Case: c.Name, Inputs: inputs(c.Scenario), Unasked: reason}
}

// IsOf reports whether r belongs to the case and its current scenario.
func (r Recording) IsOf(c Case) bool { return r.Case == c.Name && r.Inputs == inputs(c.Scenario) }

// inputs returns a hash of a scenario.
func inputs(s playground.Scenario) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("encode a scenario: %v", err))
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6])
}

// ReadRecordings reads the recordings below the directory of all cases. The keys
// are the names of the cases.
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

// WriteRecordings replaces the recording files of the directories that the given
// recordings belong to, below the directory of all cases.
func WriteRecordings(dir string, recordings []Recording) error {
	files := map[string]*bytes.Buffer{}
	for _, r := range recordings {
		name := filepath.Dir(filepath.FromSlash(r.Case))
		if files[name] == nil {
			files[name] = &bytes.Buffer{}
		}
		encoder := json.NewEncoder(files[name])
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("record %s: %w", r.Case, err)
		}
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name, recordingFile), data.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
