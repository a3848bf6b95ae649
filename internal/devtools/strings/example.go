package main

import (
	"strings"

	"golang.org/x/tools/txtar"
)

// readExample returns the title and the note of an example.
func readExample(content []byte) ([]visible, error) {
	var found []visible
	for i, line := range strings.Split(string(txtar.Parse(content).Comment), "\n") {
		if line != "" {
			found = append(found, visible{Line: i + 1, Text: line})
		}
	}
	return found, nil
}
