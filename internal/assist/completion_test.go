//go:build !js

package assist_test

import (
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestCompletionOfCases requests completions in every line of the objects of the cases. It
// inserts the proposed fields and checks that the engine accepts their names.
func TestCompletionOfCases(t *testing.T) {
	w := completionWalk{engine: engine.New()}
	for _, c := range readCases(t) {
		w.walk(t, c.Name, c.Scenario.CRD, c.Scenario.Object)
	}
	w.report(t)
}

// TestCompletionOfCorpus requests completions in the objects of real projects.
func TestCompletionOfCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs a long time: make test-long")
	}
	manifest := corpus.Open(t)
	w := completionWalk{engine: engine.New()}
	for _, project := range manifest.Projects {
		for _, crd := range project.CRDs {
			for _, sample := range crd.Samples {
				w.walk(t, sample.File, manifest.Read(t, crd.File), manifest.Read(t, sample.File))
			}
		}
	}
	w.report(t)
}

type completionWalk struct {
	engine           *engine.Engine
	requests, fields int
	// inserted is the last insertion. All lines of a mapping have the same one.
	inserted string
}

func (w *completionWalk) report(t *testing.T) {
	t.Logf("%d requests, %d fields", w.requests, w.fields)
	if w.fields == 0 {
		t.Error("no field was proposed")
	}
}

// walk requests completions in each line of an object in block style, and in a new line
// before each.
func (w *completionWalk) walk(t *testing.T, name, crd, object string) {
	lines := strings.SplitAfter(object, "\n")
	s := playground.Scenario{CRD: crd, Now: cases.Now, FieldValidation: playground.FieldValidationStrict}
	for i, line := range lines {
		s.Object = object
		column := len(line) - len(strings.TrimLeft(line, " "))
		for _, character := range []int{0, column, column + 1, len(line) / 2, len(line) - 1} {
			w.complete(t, s, i, character)
		}
		blank := strings.Repeat(" ", column)
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i:], "")
		s.Object = before + blank + "\n" + after
		w.insert(t, name, s, i, column, before+blank, "\n"+after)
	}
}

func (w *completionWalk) complete(t *testing.T, s playground.Scenario, line, character int) *playground.Completion {
	w.requests++
	cursor := playground.Cursor{Scenario: s, Document: playground.DocumentObject, Position: playground.Position{Line: line, Character: character}}
	return respond(t, w.engine, playground.AssistRequest{Complete: &cursor}).Complete
}

// insert inserts all proposed fields in a blank line, with the value null. No field may
// be unknown to the engine.
func (w *completionWalk) insert(t *testing.T, name string, s playground.Scenario, line, column int, before, after string) {
	var fields strings.Builder
	for _, item := range w.complete(t, s, line, column).Items {
		if item.Kind == playground.ItemField && !strings.HasPrefix(item.Insert, "- ") {
			key, _, _ := strings.Cut(item.Insert, ":")
			fields.WriteString(key + ": null\n" + strings.Repeat(" ", column))
			w.fields++
		}
	}
	if fields.Len() == 0 || w.inserted == name+fields.String() {
		return
	}
	w.inserted = name + fields.String()
	s.Object = before + fields.String() + after
	report := evaluate(t, w.engine, s)
	for _, object := range report.Objects {
		for _, finding := range object.Findings {
			if !strings.Contains(finding.Message, "unknown field") {
				continue
			}
			unknown := finding.Message[strings.LastIndexAny(finding.Message, ".\"[")+1:]
			if strings.Contains(fields.String(), unknown+": null") && finding.Range.Start.Line >= line && finding.Range.Start.Line < line+strings.Count(fields.String(), "\n") {
				t.Errorf("%s, line %d: %s\n%s", name, line+1, finding.Message, fields.String())
			}
		}
	}
}
