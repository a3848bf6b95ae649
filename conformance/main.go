// Command conformance compares crdlab with the API server: a real one, and its
// request handlers in memory.
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
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest"
	"github.com/crdlab/crdlab/internal/enginetest/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdict"
)

type settings struct {
	testdata string
	run      *regexp.Regexp
	record   bool
	corpus   string
	// module and server are the files of further builds to compare.
	module, server string

	seed             uint64
	first, n, sample int
	limit            time.Duration
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
	run := flag.String("run", "", "only the cases whose <stage>/<name> matches the `pattern`")
	flag.BoolVar(&s.record, "record", false, "record what the API server answers, beside the cases")
	flag.StringVar(&s.corpus, "corpus", os.Getenv("CRDLAB_CORPUS"), "`directory` of CRDs and objects to derive scenarios from, too")
	flag.StringVar(&s.module, "module", "", "compare the WebAssembly module of this `file`, too, under Node")
	flag.StringVar(&s.server, "server", "", "compare the HTTP API of the server in this `file`, too")
	flag.Uint64Var(&s.seed, "seed", 1, "what the derived scenarios depend on")
	flag.IntVar(&s.first, "first", 0, "number of the first derived scenario")
	flag.IntVar(&s.n, "n", 0, "how many scenarios to derive from the cases and put before the handlers in memory")
	flag.IntVar(&s.sample, "sample", 0, "how many of them to put before the server")
	flag.DurationVar(&s.limit, "time", 0, "most time for each kind of derived scenarios; 0 for no limit")
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
	tally := newTally()
	if s.n == 0 || s.sample > 0 {
		server, err := apiserver.Start()
		if err != nil {
			return 0, err
		}
		defer server.Stop() // not earlier: etcd misses its files
		if err := askServer(s, server, all, tally, out); err != nil {
			return 0, err
		}
	}
	if s.n > 0 {
		if err := askHandlers(s, all, tally, out); err != nil {
			return 0, err
		}
	}
	tally.print(out)
	fmt.Fprintf(out, "%v\n", time.Since(start).Round(time.Millisecond))
	if s.record {
		return 0, nil
	}
	return tally.differences(), nil
}

// askServer puts the cases, and a sample of scenarios derived from them, before
// a real server.
func askServer(s settings, server *apiserver.Server, all []cases.Case, tally *tally, out io.Writer) error {
	inMemory, err := enginetest.NewRefClient()
	if err != nil {
		return err
	}
	e := &examiner{
		server:   apiclient.New(server.Cluster(), whole.New().Evaluate),
		subjects: []subject{build("engine", whole.New().Evaluate), {"handlers in memory", inMemory.Run}},
		tally:    tally,
		out:      out,
	}
	for _, b := range []struct {
		name, file string
		start      func(string) (evaluateFunc, func(), error)
	}{{"module", s.module, startModule}, {"HTTP API", s.server, startServer}} {
		if b.file == "" {
			continue
		}
		evaluate, stop, err := b.start(b.file)
		if err != nil {
			return err
		}
		defer stop()
		e.subjects = append(e.subjects, build(b.name, evaluate))
	}
	recordings, err := e.cases(all)
	if err != nil {
		return err
	}
	if s.record {
		return record(s, recordings)
	}
	seeds, err := caseSeeds(all)
	if err != nil {
		return err
	}
	return e.generated(generation{title: "derived: ", seeds: seeds, seed: s.seed, first: s.first, n: s.sample, limit: s.limit})
}

// askHandlers puts scenarios derived from the cases and from the corpus before
// the handlers in memory.
func askHandlers(s settings, all []cases.Case, tally *tally, out io.Writer) error {
	inMemory, err := enginetest.NewRefClient()
	if err != nil {
		return err
	}
	e := &examiner{server: inMemory, subjects: []subject{build("engine, handlers asked", whole.New().Evaluate)}, tally: tally, out: out}
	seeds, err := caseSeeds(all)
	if err != nil {
		return err
	}
	g := generation{title: "derived: ", seeds: seeds, seed: s.seed, first: s.first, n: s.n, limit: s.limit}
	if err := e.generated(g); err != nil || s.corpus == "" {
		return err
	}
	g.title = "corpus: "
	if g.seeds, err = corpusSeeds(s.corpus); err != nil {
		return err
	}
	return e.generated(g)
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
