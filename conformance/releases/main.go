// Command releases compares the program of an older release with a real API server of
// the release in its module file. It prints the number of checks and each difference.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/conformance/apiserver"
	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/verdictdiff"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
	"github.com/crdlab/crdlab/internal/verdict"
)

func main() {
	klog.SetLogger(logr.Discard())
	testdata := flag.String("cases", "../internal/engine/testdata", "`directory` of the cases")
	program := flag.String("program", "", "`file` of the program")
	flag.Parse()
	differences, err := run(*testdata, *program)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "releases:", err)
		os.Exit(2)
	case differences > 0:
		os.Exit(1)
	}
}

func run(testdata, program string) (differences int, err error) {
	all, err := cases.Read(testdata)
	if err != nil {
		return 0, err
	}
	server, err := apiserver.Start()
	if err != nil {
		return 0, err
	}
	defer server.Stop()
	pool := procpool.New(func() *exec.Cmd { return exec.Command(program) }, 1)
	defer pool.Close()
	client := apiclient.New(server.Cluster(), nil)
	checks, library := 0, ""
	for _, c := range all {
		c.Scenario.Kubernetes = ""
		want, err := client.Run(c.Scenario)
		if _, ok := errors.AsType[*apiclient.UnsupportedError](err); ok {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.Name, err)
		}
		judgment, err := judge(pool, c.Scenario)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.Name, err)
		}
		if judgment.Verdict == nil {
			continue
		}
		library = judgment.Library
		checks += 1 + len(want.Objects)
		difference, err := diff(c.Scenario, want, *judgment.Verdict)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", c.Name, err)
		}
		if difference != "" {
			differences++
			fmt.Printf("%s (-real server +program)\n%s\n", c.Name, difference)
		}
	}
	fmt.Printf("%s: %d checks, %d cases with differences\n", library, checks, differences)
	return differences, nil
}

// judge returns the judgment of the program.
func judge(pool *procpool.Pool, s playground.Scenario) (judgment verdict.Judgment, err error) {
	body, err := json.Marshal(verdict.Request{Scenario: s})
	if err != nil {
		return judgment, err
	}
	reply, err := pool.Render(context.Background(), playground.Request{Task: playground.TaskJudge, Body: body})
	if err != nil {
		return judgment, err
	}
	return judgment, playground.DecodeJSON(reply, &judgment)
}

func diff(s playground.Scenario, want, got verdict.Verdict) (string, error) {
	want, err := want.Normal(s)
	if err != nil {
		return "", err
	}
	if got, err = got.Normal(s); err != nil {
		return "", err
	}
	return verdictdiff.Describe(want, got), nil
}
