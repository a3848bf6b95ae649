package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// An outcome describes one run of a step.
type outcome struct {
	step  step
	tests tally
	took  time.Duration
	// unchanged marks the result of an earlier run.
	unchanged bool
}

type runner struct {
	// results is the directory that holds a subdirectory per step.
	results string
	// inputs returns a hash of everything that results depend on; "" forbids
	// reuse.
	inputs func() (string, error)
	out    io.Writer
}

func (r runner) run(s step) (outcome, error) {
	fmt.Fprintf(r.out, "--- %s\n", s.name)
	directory := filepath.Join(r.results, s.name)
	inputs, err := r.hashOf(s)
	if err != nil {
		return outcome{}, err
	}
	if tests, ok := readRecord(directory, inputs); ok {
		fmt.Fprintln(r.out, "unchanged since it passed")
		return outcome{step: s, tests: tests, unchanged: true}, nil
	}
	if err := emptyDirectory(directory); err != nil {
		return outcome{}, err
	}
	start := time.Now()
	tests, err := r.makeTarget(s.name, directory)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{step: s, tests: tests, took: time.Since(start)}
	return o, r.record(o, directory, inputs)
}

func (r runner) hashOf(s step) (string, error) {
	if !s.reusable {
		return "", nil
	}
	return r.inputs()
}

// record keeps the outcome for later runs if no test failed and no input changed
// meanwhile.
func (r runner) record(o outcome, directory, inputs string) error {
	if inputs == "" || o.tests.failed > 0 {
		return nil
	}
	now, err := r.inputs()
	if err != nil || now != inputs {
		return err
	}
	return writeRecord(directory, inputs, o.tests)
}

// makeTarget runs a target and counts its tests.
func (r runner) makeTarget(name, directory string) (tally, error) {
	skips := &skipDetector{out: r.out}
	command := exec.Command(cmp.Or(os.Getenv("MAKE"), "make"), "--no-print-directory", name)
	command.Env = append(os.Environ(), "RESULTS="+directory)
	command.Stdout, command.Stderr = skips, skips
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return tally{}, err
	}
	tests, readErr := readResults(directory)
	if readErr != nil {
		fmt.Fprintf(r.out, "unreadable results: %v\n", readErr)
	}
	switch {
	case err != nil && tests.failed == 0:
		tests.failed++
	case tests == tally{} && skips.found:
		tests.skipped++
	case tests == tally{}:
		tests.passed++
	}
	return tests, nil
}

func emptyDirectory(directory string) error {
	if err := os.RemoveAll(directory); err != nil {
		return err
	}
	return os.MkdirAll(directory, 0o755)
}

// skipDetector forwards output and looks for a line that begins with
// "skipped: ".
type skipDetector struct {
	out   io.Writer
	found bool
	line  strings.Builder
}

const skipPrefix = "skipped: "

func (d *skipDetector) Write(output []byte) (int, error) {
	for _, b := range output {
		switch {
		case b == '\n':
			d.found = d.found || strings.HasPrefix(d.line.String(), skipPrefix)
			d.line.Reset()
		case d.line.Len() < len(skipPrefix):
			d.line.WriteByte(b)
		}
	}
	return d.out.Write(output)
}
