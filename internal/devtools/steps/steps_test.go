package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestReadJUnitCountsNestedTestCases(t *testing.T) {
	const report = `<?xml version="1.0"?>
<testsuites><testsuite name="outer">
  <testcase name="passes"/>
  <testsuite name="inner">
    <testcase name="fails"><failure message="no">trace</failure></testcase>
    <testcase name="breaks"><error/></testcase>
    <testcase name="waits"><skipped message="no browser"/></testcase>
  </testsuite>
</testsuite></testsuites>`
	got, err := readJUnit(strings.NewReader(report))
	if err != nil {
		t.Fatal(err)
	}
	if want := (tally{passed: 1, failed: 2, skipped: 1}); got != want {
		t.Errorf("readJUnit = %+v, want %+v", got, want)
	}
}

const makefile = `
passes: ; @echo fine
fails: ; @exit 3
skips: ; @echo "skipped: no browser"
writes: ; @printf '<testsuite><testcase/><testcase/></testsuite>' > $(RESULTS)/a.xml
breaks: ; @printf '<testsuite><testcase/></testsuite>' > $(RESULTS)/a.xml; exit 1
counts: ; @echo run >> ../count
`

func TestRunnerCountsSteps(t *testing.T) {
	r := newRunner(t)
	for name, want := range map[string]tally{
		"passes": {passed: 1},
		"fails":  {failed: 1},
		"skips":  {skipped: 1},
		"writes": {passed: 2},
		"breaks": {passed: 1, failed: 1},
	} {
		o, err := r.run(step{name: name})
		if err != nil {
			t.Fatal(err)
		}
		if o.tests != want {
			t.Errorf("%s: %+v, want %+v", name, o.tests, want)
		}
	}
}

func TestRunnerReusesResultsForTheSameInputs(t *testing.T) {
	r := newRunner(t)
	counts := step{name: "counts", reusable: true}
	for _, round := range []struct {
		content   string
		unchanged bool
	}{{"one", false}, {"one", true}, {"two", false}, {"two", true}} {
		writeFile(t, "input", round.content)
		o, err := r.run(counts)
		if err != nil {
			t.Fatal(err)
		}
		if o.unchanged != round.unchanged || o.tests != (tally{passed: 1}) {
			t.Errorf("%s: unchanged = %t, tests = %+v", round.content, o.unchanged, o.tests)
		}
	}
	content, err := os.ReadFile("../count")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(content), "run"); got != 2 {
		t.Errorf("the step ran %d times, want 2", got)
	}
}

func TestRunnerRepeatsStepsThatFailed(t *testing.T) {
	r := newRunner(t)
	for range 2 {
		if o, err := r.run(step{name: "fails", reusable: true}); err != nil || o.unchanged {
			t.Errorf("unchanged = %t, err = %v", o.unchanged, err)
		}
	}
}

func TestInputsIncludeTheCorpus(t *testing.T) {
	r := newRunner(t)
	corpus := t.TempDir()
	t.Setenv("CRDLAB_CORPUS", corpus)
	before, err := r.inputs()
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(corpus, "crd.yaml"), "kind: CustomResourceDefinition")
	after, err := r.inputs()
	if err != nil {
		t.Fatal(err)
	}
	if before == after {
		t.Error("a new file of the corpus does not change the inputs")
	}
}

func TestReportEndsWithTheTotals(t *testing.T) {
	var out strings.Builder
	printReport(&out, []outcome{
		{step: step{name: "slow", budget: time.Second}, tests: tally{passed: 3, skipped: 1}, took: 2 * time.Second},
		{step: step{name: "bad", budget: time.Minute}, tests: tally{failed: 1}, took: time.Second},
	})
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if got, want := lines[len(lines)-1], "3 passed, 1 failed, 1 skipped"; got != want {
		t.Errorf("last line = %q, want %q", got, want)
	}
	if over := strings.Count(out.String(), "over budget"); over != 1 {
		t.Errorf("%d steps are over budget, want 1:\n%s", over, out.String())
	}
}

func TestParseStepsRequiresBudgets(t *testing.T) {
	if _, err := parseSteps([]string{"check"}, nil); err == nil {
		t.Error("parseSteps accepts a step without a budget")
	}
}

// newRunner returns a runner in a new repository with the Makefile above.
func newRunner(t *testing.T) runner {
	t.Helper()
	root := filepath.Join(t.TempDir(), "repository")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(root)
	if output, err := exec.Command("git", "init", "-q").CombinedOutput(); err != nil {
		t.Skipf("git: %v: %s", err, output)
	}
	writeFile(t, "Makefile", makefile)
	inputs := func() (string, error) { return hashInputs(nil) }
	return runner{results: filepath.Join(t.TempDir(), "results"), inputs: inputs, out: &strings.Builder{}}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
