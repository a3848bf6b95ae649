// Command previous says what another release of the API server, the one that
// the module file requires, answers differently to the cases than the one that
// was recorded.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/enginetest/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdict"
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
	recordings, err := verdict.ReadRecordings(testdata)
	if err != nil {
		return err
	}
	server, err := apiserver.Start()
	if err != nil {
		return err
	}
	defer server.Stop()
	t := apiclient.New(server.Cluster(), nil)
	asked, changed := 0, 0
	for _, c := range all {
		recording := recordings[c.Name]
		if recording.Verdict == nil || !recording.IsOf(c) {
			continue
		}
		difference, err := differ(t, c, *recording.Verdict)
		var unasked *apiclient.UnsupportedError
		if errors.As(err, &unasked) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		asked++
		if difference != "" {
			changed++
			fmt.Printf("%s (-recorded +this release)\n%s\n", c.Name, difference)
		}
	}
	fmt.Printf("%d cases, %d answered differently\n", asked, changed)
	return nil
}

func differ(t *apiclient.Client, c cases.Case, recorded verdict.Verdict) (string, error) {
	v, err := t.Run(c.Scenario)
	if err != nil {
		return "", err
	}
	if v, err = v.Normal(c.Scenario); err != nil {
		return "", err
	}
	return verdict.Diff(recorded, v), nil
}
