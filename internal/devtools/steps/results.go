package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A tally counts tests by their result.
type tally struct {
	passed, failed, skipped int
}

func (t tally) plus(other tally) tally {
	return tally{t.passed + other.passed, t.failed + other.failed, t.skipped + other.skipped}
}

func (t tally) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", t.passed, t.failed, t.skipped)
}

// readResults totals the JUnit files in directory.
func readResults(directory string) (tally, error) {
	files, err := filepath.Glob(filepath.Join(directory, "*.xml"))
	if err != nil {
		return tally{}, err
	}
	var total tally
	for _, file := range files {
		tests, err := readJUnitFile(file)
		if err != nil {
			return total, fmt.Errorf("%s: %w", file, err)
		}
		total = total.plus(tests)
	}
	return total, nil
}

func readJUnitFile(name string) (tally, error) {
	file, err := os.Open(name)
	if err != nil {
		return tally{}, err
	}
	defer file.Close()
	return readJUnit(file)
}

// readJUnit counts the test cases of a JUnit report at any depth of suites.
func readJUnit(report io.Reader) (tally, error) {
	var total tally
	decoder := xml.NewDecoder(report)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "testcase" {
			var test testCase
			if err := decoder.DecodeElement(&test, &start); err != nil {
				return total, err
			}
			total = total.plus(test.tally())
		}
	}
}

type testCase struct {
	Failures []struct{} `xml:"failure"`
	Errors   []struct{} `xml:"error"`
	Skipped  []struct{} `xml:"skipped"`
}

func (t testCase) tally() tally {
	switch {
	case len(t.Failures)+len(t.Errors) > 0:
		return tally{failed: 1}
	case len(t.Skipped) > 0:
		return tally{skipped: 1}
	}
	return tally{passed: 1}
}
