package main

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A tally has the results of tests.
type tally struct {
	passed, skipped int
	failures        []failure
}

// A failure is a failed test with its output. Both names are empty for a step without tests.
type failure struct {
	// location is the directory of a Go package.
	location     string
	test, output string
}

func (t *tally) add(other tally) {
	t.passed += other.passed
	t.skipped += other.skipped
	t.failures = append(t.failures, other.failures...)
}

// readResults totals the files in a directory.
func readResults(directory string) (tally, error) {
	var total tally
	for pattern, read := range map[string]func(io.Reader) (tally, error){"*.xml": readJUnit, "*.json": readGo} {
		files, err := filepath.Glob(filepath.Join(directory, pattern))
		if err != nil {
			return total, err
		}
		for _, name := range files {
			tests, err := readFile(name, read)
			if err != nil {
				return total, fmt.Errorf("%s: %w", name, err)
			}
			total.add(tests)
		}
	}
	return total, nil
}

func readFile(name string, read func(io.Reader) (tally, error)) (tally, error) {
	file, err := os.Open(name)
	if err != nil {
		return tally{}, err
	}
	defer file.Close()
	return read(file)
}

// A junitCase is a test case of a JUnit report.
type junitCase struct {
	Name     string       `xml:"name,attr"`
	Failures []junitFault `xml:"failure"`
	Errors   []junitFault `xml:"error"`
	Skipped  []struct{}   `xml:"skipped"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// readJUnit reads the test cases of a JUnit report at any depth of suites.
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
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var test junitCase
		if err := decoder.DecodeElement(&test, &start); err != nil {
			return total, err
		}
		switch faults := slices.Concat(test.Failures, test.Errors); {
		case len(faults) > 0:
			output := faults[0].Text
			if !strings.Contains(output, faults[0].Message) {
				output = faults[0].Message + "\n" + output
			}
			total.failures = append(total.failures, failure{test: test.Name, output: output})
		case len(test.Skipped) > 0:
			total.skipped++
		default:
			total.passed++
		}
	}
}

const module = "github.com/crdlab/crdlab/"

// A goEvent is a line that "go test -json" prints.
type goEvent struct {
	Action, Package, ImportPath, Test, Output string
}

// readGo reads the output of "go test -json". A test fails by itself only if none of its
// subtests fails, and a package if none of its tests does.
func readGo(events io.Reader) (tally, error) {
	var total tally
	output := map[goEvent]*strings.Builder{}
	var failed []goEvent
	decoder := json.NewDecoder(bufio.NewReader(events))
	for decoder.More() {
		var event goEvent
		if err := decoder.Decode(&event); err != nil {
			return total, err
		}
		// A build has an import path, which names the test's variant of the package in brackets.
		path, _, _ := strings.Cut(event.ImportPath, " ")
		key := goEvent{Package: event.Package + strings.TrimSuffix(path, ".test"), Test: event.Test}
		switch event.Action {
		case "output", "build-output":
			if output[key] == nil {
				output[key] = &strings.Builder{}
			}
			output[key].WriteString(event.Output)
		case "fail":
			if !slices.ContainsFunc(failed, key.contains) {
				failed = append(failed, key)
			}
		case "pass":
			total.passed += min(len(event.Test), 1)
		case "skip":
			total.skipped += min(len(event.Test), 1)
		}
	}
	for _, key := range failed {
		text := ""
		if output[key] != nil {
			text = output[key].String()
		}
		total.failures = append(total.failures, failure{location: strings.TrimPrefix(key.Package, module), test: key.Test, output: text})
	}
	return total, nil
}

// contains reports whether a result is part of another one, which ends later.
func (e goEvent) contains(part goEvent) bool {
	return e.Package == part.Package && (e.Test == "" || strings.HasPrefix(part.Test, e.Test+"/"))
}
