package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/expect"
	"github.com/crdlab/crdlab/internal/load"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/releases"
)

// TestCorpus checks the directory CRDLAB_CORPUS at once. The verdicts must equal the
// verdicts of the API server in its manifest.
func TestCorpus(t *testing.T) {
	all := corpus.Open(t)
	programs := releases.Open(t.TempDir())
	result, err := check.Run(t.Context(), load.Reader{}.Read(t.Context(), []string{all.Directory}), check.Options{
		Releases: []string{"1.37"}, FieldValidation: playground.FieldValidationIgnore,
		NewEngine: func() check.Engine { return newEngine(programs) },
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
			if strings.HasPrefix(f.Message, `Invalid value: "": "`) {
				f.Field = "<nil>" // The API server names the field in the message only.
			}
			compared.Errors = append(compared.Errors, f.Field+": "+f.Message)
		}
	}
	return compared
}

// ruleTests has a directory of tests for each project of the corpus.
const ruleTests = "testdata/rules"

// TestCorpusRules tests the rules of projects in the directory CRDLAB_CORPUS. Each rule is
// seen to hold and to fail, or cannot fail.
func TestCorpusRules(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
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
			status := run([]string{"test", "--cover", "--output", "json", filepath.Join(crds, "crd.*.yaml"), tests}, nil, &out, &messages)
			var result expect.Result
			if err := json.Unmarshal(out.Bytes(), &result); err != nil || status != statusAccepted {
				t.Errorf("exit status %d, %v: %s", status, err, &messages)
			}
			for _, file := range result.Files {
				for _, f := range file.Failures {
					t.Errorf("%s:%d: %s", f.Path, f.Line, f.Message)
				}
			}
			for _, r := range result.Coverage.Rules {
				if !r.Covered() && !r.CannotFail {
					t.Errorf("%s:%d: %s %s: %s", r.Path, r.Line, r.Version, r.Missing(), r.Expression)
				}
			}
			t.Log(result.Coverage.Summary())
		})
	}
}
