// Command releases lists the cases that older Kubernetes releases judge differently
// from the newest release.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/releases"
)

func main() {
	testdata := flag.String("cases", "internal/engine/testdata", "`directory` of the cases")
	programs := flag.String("programs", "dist/programs", "`directory` of the programs")
	release := flag.String("release", "1.31", "`release` that judges")
	flag.Parse()
	if err := list(*testdata, *programs, *release); err != nil {
		fmt.Fprintln(os.Stderr, "releases:", err)
		os.Exit(1)
	}
}

func list(testdata, directory, release string) error {
	all, err := cases.Read(testdata)
	if err != nil {
		return err
	}
	programs := releases.Open(directory)
	defer programs.Close()
	evaluator := programs.NewEvaluator(engine.New())
	judged, differing := 0, 0
	for _, c := range all {
		if c.Scenario.Kubernetes != "" {
			continue
		}
		c.Scenario.Kubernetes = release
		report, err := evaluator.Evaluate(context.Background(), c.Scenario)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name, err)
		}
		if report.Kubernetes.JudgedBy == "" {
			continue
		}
		judged++
		if len(report.Differences) > 0 {
			differing++
		}
		for _, d := range report.Differences {
			fmt.Printf("%s: %s %s %s, as in the newest release since %q\n  %s: %s\n  newest: %s\n", c.Name, d.Document, d.Part, d.Field, d.Since, release, d.Value, d.Newest)
		}
	}
	fmt.Printf("%d cases judged by %s, %d differently from the newest release\n", judged, release, differing)
	return nil
}
