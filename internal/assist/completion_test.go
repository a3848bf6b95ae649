//go:build !js

package assist_test

import (
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/enginetest/corpus"
	"github.com/crdlab/crdlab/internal/playground"
)

// TestCompletionOfTheCases asks for completions at every line of the objects of
// the cases, and for the names that are offered whether the engine knows them.
func TestCompletionOfTheCases(t *testing.T) {
	w := completionWalk{engine: whole.New()}
	for _, c := range readCases(t) {
		w.walk(t, c.Name, c.Scenario.CRD, c.Scenario.Object)
	}
	w.report(t)
}

// TestCompletionOfTheCorpus does so with the objects of real projects.
func TestCompletionOfTheCorpus(t *testing.T) {
	manifest := corpus.Open(t)
	w := completionWalk{engine: whole.New()}
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
	engine         *engine.Engine
	places, fields int
	// inserted is what was inserted last: the lines of a mapping get the same.
	inserted string
}

func (w *completionWalk) report(t *testing.T) {
	t.Logf("%d places, %d fields", w.places, w.fields)
	if w.fields == 0 {
		t.Error("nothing was offered")
	}
}

// walk looks at an object in block style: each line, and a new line before it.
func (w *completionWalk) walk(t *testing.T, name, crd, object string) {
	lines := strings.SplitAfter(object, "\n")
	s := playground.Scenario{CRD: crd, Now: cases.Now, FieldValidation: playground.FieldValidationStrict}
	for i, line := range lines {
		s.Object = object
		column := len(line) - len(strings.TrimLeft(line, " "))
		for _, character := range []int{0, column, column + 1, len(line) / 2, len(line) - 1} {
			w.ask(t, s, i, character)
		}
		blank := strings.Repeat(" ", column)
		before, after := strings.Join(lines[:i], ""), strings.Join(lines[i:], "")
		s.Object = before + blank + "\n" + after
		w.insert(t, name, s, i, column, before+blank, "\n"+after)
	}
}

func (w *completionWalk) ask(t *testing.T, s playground.Scenario, line, character int) *playground.Completion {
	w.places++
	cursor := playground.Cursor{Scenario: s, Document: playground.DocumentObject, Position: playground.Position{Line: line, Character: character}}
	return help(t, w.engine, playground.Question{Complete: &cursor}).Completion
}

// insert inserts all fields that are offered in a blank line, with null for
// their values. None of them may be unknown.
func (w *completionWalk) insert(t *testing.T, name string, s playground.Scenario, line, column int, before, after string) {
	var text strings.Builder
	for _, item := range w.ask(t, s, line, column).Items {
		if item.Kind == playground.ItemField && !strings.HasPrefix(item.Insert, "- ") {
			key, _, _ := strings.Cut(item.Insert, ":")
			text.WriteString(key + ": null\n" + strings.Repeat(" ", column))
			w.fields++
		}
	}
	if text.Len() == 0 || w.inserted == name+text.String() {
		return
	}
	w.inserted = name + text.String()
	s.Object = before + text.String() + after
	report := evaluate(t, w.engine, s)
	for _, object := range report.Objects {
		for _, finding := range object.Findings {
			if !strings.Contains(finding.Message, "unknown field") {
				continue
			}
			unknown := finding.Message[strings.LastIndexAny(finding.Message, ".\"[")+1:]
			if strings.Contains(text.String(), unknown+": null") && finding.Range.Start.Line >= line && finding.Range.Start.Line < line+strings.Count(text.String(), "\n") {
				t.Errorf("%s, line %d: %s\n%s", name, line+1, finding.Message, text.String())
			}
		}
	}
}
