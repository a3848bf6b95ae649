package ui

import (
	"encoding/json"
	"os"
	"testing"
)

// TestFormatCost reads the table that the page's script is tested with, too: both
// write costs.
func TestFormatCost(t *testing.T) {
	text, err := os.ReadFile("testdata/costs.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][2]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		var cost uint64
		var want string
		if err := json.Unmarshal(row[0], &cost); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(row[1], &want); err != nil {
			t.Fatal(err)
		}
		if got := FormatCost(cost); got != want {
			t.Errorf("FormatCost(%d) = %q, want %q", cost, got, want)
		}
	}
}
