package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/minors"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestCorpus checks the directory CRDLAB_CORPUS at once. The verdicts must equal the
// verdicts of the API server in its manifest.
func TestCorpus(t *testing.T) {
	all := corpus.Open(t)
	programs := minors.Open(t.TempDir())
	result, err := check.Run(t.Context(), manifest.Reader{}.Read(t.Context(), []string{all.Directory}), check.Options{
		Releases: []string{"1.37"}, FieldValidation: playground.FieldValidationIgnore,
		NewEngine: func() check.Engine { return newJudge(programs) },
	})
	if err != nil || len(result.Problems) > 0 {
		t.Fatalf("%v: %v", err, result.Problems)
	}
	verdicts := map[string]corpus.Verdict{}
	crds := map[string]bool{} // by file
	for _, d := range result.Documents {
		verdicts[d.Path] = verdictOf(d.Verdicts[0])
		crds[d.Path] = d.CRD == "" && d.Verdicts[0].Accepted
	}
	for _, o := range result.WithoutCRD {
		t.Errorf("%s:%d has no CRD", o.Path, o.Line)
	}
	compared := 0
	for _, project := range all.Projects {
		for _, crd := range project.CRDs {
			file := filepath.Join(all.Directory, crd.File)
			for _, difference := range crd.Compare(verdicts[file]) {
				t.Errorf("%s: %s", crd.File, difference)
			}
			compared++
			if !crds[file] { // its objects have no verdict
				continue
			}
			for _, sample := range crd.Samples {
				compared++
				for _, difference := range sample.Compare(verdicts[filepath.Join(all.Directory, sample.File)]) {
					t.Errorf("%s: %s", sample.File, difference)
				}
			}
		}
	}
	t.Logf("%d documents", compared)
}

func verdictOf(v check.Verdict) corpus.Verdict {
	compared := corpus.Verdict{Accepted: v.Accepted, Status: v.Status.Code}
	for _, f := range v.Findings {
		if f.Severity == playground.SeverityError {
			compared.Errors = append(compared.Errors, f.Field+": "+f.Message)
		}
	}
	return compared
}

// ruleTests has a directory of tests for each project of the corpus. The file unreachable.txt
// lists the rules that no object can fail, as FILE:LINE VERSION: REASON.
const ruleTests = "testdata/rules"

// TestCorpusRules tests the rules of projects in the directory CRDLAB_CORPUS. Each rule is
// seen to hold and to fail, or is listed as unreachable.
func TestCorpusRules(t *testing.T) {
	all := corpus.Open(t)
	projects, err := os.ReadDir(ruleTests)
	if err != nil {
		t.Fatal(err)
	}
	for _, project := range projects {
		t.Run(project.Name(), func(t *testing.T) {
			crds := filepath.Join(all.Directory, project.Name())
			tests := filepath.Join(ruleTests, project.Name())
			var out, messages bytes.Buffer
			status := run([]string{"test", "--output", "json", filepath.Join(crds, "crd.*.yaml"), tests}, nil, &out, &messages)
			var result expect.Result
			if err := json.Unmarshal(out.Bytes(), &result); err != nil || status != statusAccepted {
				t.Errorf("exit status %d, %v: %s", status, err, &messages)
			}
			for _, file := range result.Files {
				for _, f := range file.Failures {
					t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
				}
			}
			compareUnreachable(t, result.Coverage, readUnreachable(t, filepath.Join(tests, "unreachable.txt")))
			t.Logf("%d of %d rules hold and fail", result.Coverage.Covered(), len(result.Coverage.Rules))
		})
	}
}

func compareUnreachable(t *testing.T, c expect.Coverage, unreachable []string) {
	t.Helper()
	for _, r := range c.Rules {
		place := fmt.Sprintf("%s:%d %s", filepath.Base(r.Path), r.Line, r.Version)
		if listed := slices.Contains(unreachable, place); listed == r.Covered() {
			t.Errorf("%s: holds %d times and fails %d times, listed as unreachable: %v: %s", place, r.Holds, r.Fails, listed, r.Expression)
		}
	}
}

// readUnreachable returns the rules in a list without their reasons. The list is absent if
// all rules are reachable.
func readUnreachable(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(content)) {
		place, reason, ok := strings.Cut(line, ": ")
		if !ok || strings.TrimSpace(reason) == "" {
			t.Errorf("%s: %q has no reason", path, line)
		}
		all = append(all, place)
	}
	return all
}
