// Command conformance compares crdlab with a real API server and with the
// reference server, which runs the API server's request handlers in memory.
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
	"github.com/crdlab/crdlab/conformance/seeds"
	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
)

type settings struct {
	testdata string
	webhooks string
	run      *regexp.Regexp
	record   bool
	corpus   string
	// module and server are the files of other builds to compare.
	module, server string

	seed             uint64
	first, n, sample int
	repeat           int
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
	flag.StringVar(&s.webhooks, "webhooks", "../internal/engine/conversion/testdata/live", "`directory` of the cases with live webhooks")
	run := flag.String("run", "", "only the cases whose <stage>/<name> matches the `pattern`")
	flag.BoolVar(&s.record, "record", false, "write the API server's verdicts to the directories of the cases")
	flag.StringVar(&s.corpus, "corpus", os.Getenv("CRDLAB_CORPUS"), "`directory` of CRDs and objects from which to derive more scenarios")
	flag.StringVar(&s.module, "module", "", "also compare the WebAssembly module in this `file`, under Node")
	flag.StringVar(&s.server, "server", "", "also compare the HTTP API of the server in this `file`")
	flag.Uint64Var(&s.seed, "seed", 1, "random seed of the derived scenarios")
	flag.IntVar(&s.first, "first", 0, "number of the first derived scenario")
	flag.IntVar(&s.n, "n", 0, "number of derived scenarios to send to the reference server")
	flag.IntVar(&s.sample, "sample", 0, "number of derived scenarios to send to the API server")
	flag.DurationVar(&s.limit, "time", 0, "time limit for each series of derived scenarios; 0 for no limit")
	flag.IntVar(&s.repeat, "repeat", 2, "number of evaluations of each scenario, whose reports must be identical")
	flag.Parse()
	var err error
	if s.run, err = regexp.Compile(*run); err != nil || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	return s
}

// conform runs the comparisons in the settings and returns the number of
// differences.
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
		defer server.Stop() // must be last, because etcd needs its files
		if err := compareWithServer(s, server, all, tally, out); err != nil {
			return 0, err
		}
	}
	if s.n > 0 {
		if err := compareWithRefServer(s, all, tally, out); err != nil {
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

// compareWithServer sends the cases, and a sample of scenarios derived from them,
// to a real server.
func compareWithServer(s settings, server *apiserver.Server, all []cases.Case, tally *tally, out io.Writer) error {
	reference, err := enginetest.NewRefClient()
	if err != nil {
		return err
	}
	cluster := server.Cluster()
	e := &examiner{
		server:   apiclient.New(cluster, engine.New().Evaluate),
		subjects: []subject{newBuild("engine", engine.New().Evaluate, s.repeat), {"reference server", reference.Run}},
		tally:    tally,
		out:      out,
	}
	stop, err := e.addBuilds(s)
	if err != nil {
		return err
	}
	defer stop()
	recordings, err := e.cases(all)
	if err != nil {
		return err
	}
	if s.record {
		return record(s, recordings)
	}
	origins, err := seeds.OfCases(all)
	if err != nil {
		return err
	}
	if err := e.derive(generation{title: "derived: ", seeds: origins, seed: s.seed, first: s.first, n: s.sample, limit: s.limit}); err != nil {
		return err
	}
	return e.compareWebhooks(s.webhooks, cluster)
}

// addBuilds starts the other builds in the settings and adds them to the subjects.
func (e *examiner) addBuilds(s settings) (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, stop := range stops {
			stop()
		}
	}
	for _, b := range []struct {
		name, file string
		start      func(string) (evaluateFunc, func(), error)
	}{{"module", s.module, startModule}, {"HTTP API", s.server, startServer}} {
		if b.file == "" {
			continue
		}
		evaluate, stopBuild, err := b.start(b.file)
		if err != nil {
			stop()
			return nil, err
		}
		stops = append(stops, stopBuild)
		e.subjects = append(e.subjects, newBuild(b.name, evaluate, s.repeat))
	}
	return stop, nil
}

// compareWithRefServer sends scenarios derived from the cases and from the corpus
// to the reference server.
func compareWithRefServer(s settings, all []cases.Case, tally *tally, out io.Writer) error {
	reference, err := enginetest.NewRefClient()
	if err != nil {
		return err
	}
	e := &examiner{server: reference, subjects: []subject{newBuild("engine (reference server)", engine.New().Evaluate, s.repeat)}, tally: tally, out: out}
	stop, err := e.addBuilds(s)
	if err != nil {
		return err
	}
	defer stop()
	origins, err := seeds.OfCases(all)
	if err != nil {
		return err
	}
	g := generation{title: "derived: ", seeds: origins, seed: s.seed, first: s.first, n: s.n, limit: s.limit}
	if err := e.derive(g); err != nil || s.corpus == "" {
		return err
	}
	g.title = "corpus: "
	if g.seeds, err = seeds.OfCorpus(s.corpus); err != nil {
		return err
	}
	return e.derive(g)
}

// record merges new recordings into the recording files.
func record(s settings, fresh []cases.Recording) error {
	all, err := cases.Read(s.testdata)
	if err != nil {
		return err
	}
	recorded, err := cases.ReadRecordings(s.testdata)
	if err != nil {
		return err
	}
	for _, r := range fresh {
		recorded[r.Case] = r
	}
	var recordings []cases.Recording
	for _, c := range all {
		if r, ok := recorded[c.Name]; ok {
			recordings = append(recordings, r)
		}
	}
	return cases.WriteRecordings(s.testdata, recordings)
}
