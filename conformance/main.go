// Command conformance compares crdlab with a real API server.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/cases"
	"github.com/crdlab/crdlab/internal/engine/trial"
	"github.com/crdlab/crdlab/internal/engine/verdict"
)

type settings struct {
	testdata string
	run      *regexp.Regexp
	record   bool
}

func main() {
	klog.SetLogger(logr.Discard())
	s := parse()
	differences, err := conform(s, os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(2)
	case differences > 0:
		os.Exit(1)
	}
}

func parse() settings {
	var s settings
	flag.StringVar(&s.testdata, "cases", "../internal/engine/testdata", "`directory` of the cases")
	flag.BoolVar(&s.record, "record", false, "record what the API server answers, beside the cases")
	run := flag.String("run", "", "only the cases whose <stage>/<name> matches the `pattern`")
	flag.Parse()
	var err error
	if s.run, err = regexp.Compile(*run); err != nil || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	return s
}

// conform runs what the settings ask for and returns the number of differences.
func conform(s settings, out io.Writer) (int, error) {
	all, err := cases.Read(s.testdata)
	if err != nil {
		return 0, fmt.Errorf("read the cases: %w", err)
	}
	all = slices.DeleteFunc(all, func(c cases.Case) bool { return !s.run.MatchString(c.Name) })
	start := time.Now()
	server, err := apiserver.Start()
	if err != nil {
		return 0, err
	}
	defer server.Stop()
	fmt.Fprintf(out, "API server ready after %v\n", time.Since(start).Round(time.Millisecond))
	e := &examiner{
		trial:    trial.New(server.Cluster()),
		subjects: []subject{{"engine", engine.New().Evaluate}},
		tally:    newTally(),
		out:      out,
	}
	recordings, err := e.cases(all)
	if err != nil {
		return 0, err
	}
	e.tally.print(out)
	fmt.Fprintf(out, "%v\n", time.Since(start).Round(time.Millisecond))
	if !s.record {
		return e.tally.differences(), nil
	}
	return 0, record(s, recordings)
}

// record writes the recordings beside the cases; the cases that did not run
// keep theirs.
func record(s settings, fresh []verdict.Recording) error {
	all, err := cases.Read(s.testdata)
	if err != nil {
		return err
	}
	recorded, err := verdict.ReadRecordings(s.testdata)
	if err != nil {
		return err
	}
	for _, r := range fresh {
		recorded[r.Case] = r
	}
	var recordings []verdict.Recording
	for _, c := range all {
		if r, ok := recorded[c.Name]; ok {
			recordings = append(recordings, r)
		}
	}
	return verdict.WriteRecordings(s.testdata, recordings)
}
