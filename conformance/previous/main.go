// Command previous prints the cases on which the release of the API server in its
// module file differs from the recordings.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdictdiff"
	"github.com/crdlab/crdlab/internal/verdict"
)

func main() {
	klog.SetLogger(logr.Discard())
	testdata := flag.String("cases", "../internal/engine/testdata", "`directory` of the cases")
	flag.Parse()
	if err := run(*testdata); err != nil {
		fmt.Fprintln(os.Stderr, "previous:", err)
		os.Exit(2)
	}
}

func run(testdata string) error {
	all, err := cases.Read(testdata)
	if err != nil {
		return err
	}
	recordings, err := cases.ReadRecordings(testdata)
	if err != nil {
		return err
	}
	server, err := apiserver.Start()
	if err != nil {
		return err
	}
	defer server.Stop()
	client := apiclient.New(server.Cluster(), nil)
	sent, changed := 0, 0
	for _, c := range all {
		recording := recordings[c.Name]
		if recording.Verdict == nil || !recording.IsOf(c) {
			continue
		}
		difference, err := diff(client, c, *recording.Verdict)
		if _, ok := errors.AsType[*apiclient.UnsupportedError](err); ok {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		sent++
		if difference != "" {
			changed++
			fmt.Printf("%s (-recorded +this release)\n%s\n", c.Name, difference)
		}
	}
	fmt.Printf("%d cases, %d with another verdict\n", sent, changed)
	return nil
}

// diff describes the differences between the recorded and the current verdict.
func diff(client *apiclient.Client, c cases.Case, recorded verdict.Verdict) (string, error) {
	v, err := client.Run(c.Scenario)
	if err != nil {
		return "", err
	}
	if v, err = v.Normal(c.Scenario); err != nil {
		return "", err
	}
	return verdictdiff.Describe(recorded, v), nil
}
