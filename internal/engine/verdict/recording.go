package verdict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// recordingFile is the name, in the directory of a stage, of what a real API
// server answered to its cases: one line for each case, in the order of names.
const recordingFile = "recorded.jsonl"

// Recording is what a real API server answered to a case.
type Recording struct {
	Case string `json:"case"`
	// Inputs identifies the scenario that was recorded.
	Inputs string `json:"inputs"`
	// Verdict is normal.
	Verdict Verdict `json:"verdict"`
}

// Record is the recording of a case, whose verdict is normal.
func (c Case) Record(v Verdict) Recording {
	return Recording{Case: c.Name, Inputs: c.inputs(), Verdict: v}
}

// Recorded says whether r is of the case as it is now.
func (c Case) Recorded(r Recording) bool { return r.Inputs == c.inputs() }

// ReadRecordings are the recordings of a stage by the name of the case; empty
// if there are none.
func ReadRecordings(testdata fs.FS, stage string) (map[string]Recording, error) {
	recordings := map[string]Recording{}
	data, err := fs.ReadFile(testdata, stage+"/"+recordingFile)
	if errors.Is(err, fs.ErrNotExist) {
		return recordings, nil
	}
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	for decoder.More() {
		var r Recording
		if err := decoder.Decode(&r); err != nil {
			return nil, fmt.Errorf("read the recordings of %s: %w", stage, err)
		}
		recordings[r.Case] = r
	}
	return recordings, nil
}

// WriteRecordings replaces the recordings of a stage below the directory
// testdata.
func WriteRecordings(testdata, stage string, recordings []Recording) error {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false)
	for _, r := range recordings {
		if err := encoder.Encode(r); err != nil {
			return fmt.Errorf("record %s/%s: %w", stage, r.Case, err)
		}
	}
	return os.WriteFile(filepath.Join(testdata, stage, recordingFile), data.Bytes(), 0o644)
}
