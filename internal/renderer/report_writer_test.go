package renderer

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// reportOf returns a report with values that an encoding could change, such as markup,
// large numbers and null.
func reportOf(scenario playground.Scenario) playground.Report {
	return playground.Report{
		CRD:     playground.CRD{Name: scenario.CRD, Output: "a <b> & \u2028"},
		Objects: []playground.Object{{Stored: []byte(`{"n":9007199254740993}`)}},
		Tables:  []playground.Table{{Rows: [][]any{{int64(9007199254740993), 1.5, "a", true, nil}}}},
	}
}

func TestReportWriter(t *testing.T) {
	writer := newReportWriter()
	for _, text := range []string{"a", "a", "b", "a <&> \u2028"} {
		report := reportOf(playground.Scenario{CRD: text})
		report.CRD.Rules = []playground.Rule{{Message: text}}
		for range 2 {
			report.Objects[0].Output += "x"
			var got, want bytes.Buffer
			err := writer.write(&got, report)
			encoder := json.NewEncoder(&want)
			encoder.SetEscapeHTML(false)
			if wantErr := encoder.Encode(report); err != nil || wantErr != nil || got.String() != want.String() {
				t.Errorf("%v, %v\ngot  %s\nwant %s", err, wantErr, &got, &want)
			}
		}
	}
}
