package engine_test

import (
	"testing"

	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdictdiff"
	"github.com/crdlab/crdlab/internal/verdict"
)

// TestRecordings compares the engine with the recorded verdict of a real API
// server on each case (make conformance-record).
func TestRecordings(t *testing.T) {
	recordings, err := cases.ReadRecordings("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range readCases(t) {
		recording := recordings[c.Name]
		if !recording.IsOf(c) {
			continue // TestRecordingsAreCurrent fails
		}
		t.Run(c.Name, func(t *testing.T) {
			if recording.Verdict == nil {
				t.Skip("the API server was not asked: " + recording.Unasked)
			}
			report := reportOn(t, c.Scenario)
			if verdict.IsLimited(report) {
				t.Skip("a limit of the playground is exceeded")
			}
			got, err := verdict.Of(report).Normal(c.Scenario)
			if err != nil {
				t.Fatal(err)
			}
			if diff := verdictdiff.Describe(*recording.Verdict, got); diff != "" {
				t.Errorf("(-API server +engine)\n%s", diff)
			}
		})
	}
}

// TestRecordingsAreCurrent fails if a case has no recording of its current
// scenario.
func TestRecordingsAreCurrent(t *testing.T) {
	recordings, err := cases.ReadRecordings("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range readCases(t) {
		if !recordings[c.Name].IsOf(c) {
			t.Errorf("%s: no current recording (make conformance-record)", c.Name)
		}
		delete(recordings, c.Name)
	}
	for name := range recordings {
		t.Errorf("%s: a recording without a case", name)
	}
}
