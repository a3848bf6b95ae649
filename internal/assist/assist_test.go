package assist_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// cursorMark stands in the text of a case where the cursor is.
const cursorMark = "█"

// TestHelpCases asks the questions in testhelp: what completes, and what is told
// of, the place marked in one of the texts, and what an expression is worth. The
// answers are in completion.txt, hover.txt and tried.json.
func TestHelpCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	e := whole.New()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cursor := readCursor(t, archive)
			for i, f := range archive.Files {
				got := ""
				switch f.Name {
				case "completion.txt":
					got = completionText(help(t, e, playground.Question{Complete: &cursor}).Completion)
				case "hover.txt":
					got = hoverText(help(t, e, playground.Question{Hover: &cursor}).Hover)
				case "tried.json":
					got = triedText(t, help(t, e, playground.Question{Try: readTrial(cursor)}).Tried)
				default:
					continue
				}
				if *update {
					archive.Files[i].Data = []byte(got)
				} else if got != string(f.Data) {
					t.Errorf("%s: got\n%s\nwant\n%s", f.Name, got, f.Data)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func help(t *testing.T, e *engine.Engine, q playground.Question) playground.Help {
	t.Helper()
	answer, err := assist.New(e).Answer(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// readTrial is the cursor's trial, at the node that the cursor is in if that is
// in the object.
func readTrial(cursor playground.Cursor) *playground.TryRequest {
	request := &playground.TryRequest{Scenario: cursor.Scenario, Trial: *cursor.Trial}
	if cursor.Document == playground.DocumentObject {
		request.Position = &cursor.Position
	}
	return request
}

func triedText(t *testing.T, tried *playground.Tried) string {
	t.Helper()
	text, err := cases.EncodeValue(tried)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readCursor takes the mark out of the text that has it. An expression is tried
// at the node that trial.json names.
func readCursor(t *testing.T, archive *txtar.Archive) playground.Cursor {
	cursor := playground.Cursor{Scenario: playground.Scenario{Now: cases.Now}}
	trial := playground.Trial{}
	type target struct {
		text     *string
		document playground.Document
	}
	texts := map[string]target{
		"crd.yaml":        {&cursor.Scenario.CRD, playground.DocumentCRD},
		"object.yaml":     {&cursor.Scenario.Object, playground.DocumentObject},
		"old-object.yaml": {&cursor.Scenario.OldObject, playground.DocumentOldObject},
		"admission.yaml":  {&cursor.Scenario.Admission, playground.DocumentAdmission},
		"expression.cel":  {&trial.Expression, ""},
	}
	fields := map[string]any{"trial.json": &trial, "scenario.json": &cursor.Scenario}
	for _, f := range archive.Files {
		if value, ok := fields[f.Name]; ok {
			if err := json.Unmarshal(f.Data, value); err != nil {
				t.Fatal(err)
			}
			cursor.Trial = &trial
		}
	}
	for _, f := range archive.Files {
		target, ok := texts[f.Name]
		if !ok {
			continue
		}
		before, after, marked := strings.Cut(strings.TrimSuffix(string(f.Data), "\n"), cursorMark)
		*target.text = before + after
		if marked {
			line := before[strings.LastIndexByte(before, '\n')+1:]
			cursor.Document = target.document
			cursor.Position = playground.Position{Line: strings.Count(before, "\n"), Character: len([]rune(line))}
		}
	}
	if cursor.Document == "" && cursor.Trial == nil {
		t.Fatal("no text has a cursor")
	}
	return cursor
}

// completionText writes an item as a line: what it is, and what it inserts, in
// which stops are marked.
func completionText(completion *playground.Completion) string {
	var b strings.Builder
	b.WriteString(place(completion.Range) + "\n")
	for _, item := range completion.Items {
		flags := ""
		if item.Required {
			flags = " required"
		}
		insert := []rune(item.Insert)
		for i := len(item.Stops) - 1; i >= 0; i-- {
			insert = append(insert[:item.Stops[i]:item.Stops[i]], append([]rune(cursorMark), insert[item.Stops[i]:]...)...)
		}
		description := strings.ReplaceAll(item.Description, "\n", `\n`)
		if runes := []rune(description); len(runes) > 60 {
			description = string(runes[:60]) + "…"
		}
		line, _ := encodeJSON(string(insert))
		b.WriteString(strings.TrimRight(item.Kind+" "+item.Label+" <"+item.Detail+">"+flags+" "+line+" "+description, " ") + "\n")
	}
	return b.String()
}

func hoverText(hover *playground.Hover) string {
	var b strings.Builder
	b.WriteString(place(hover.Range) + "\n" + hover.Title + " <" + hover.Type + ">\n" + hover.Description + "\n")
	for _, fact := range hover.Facts {
		b.WriteString(fact.Name + ": " + strings.ReplaceAll(fact.Text, "\n", `\n`) + "\n")
	}
	return b.String()
}

func place(r playground.Range) string {
	text, _ := encodeJSON([]int{r.Start.Line, r.Start.Character, r.End.Line, r.End.Character})
	return text
}

func encodeJSON(value any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSpace(b.String()), err
}

func readCases(t testing.TB) []cases.Case {
	all, err := cases.Read("../engine/testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var update = flag.Bool("update", false, "rewrite the expected responses")

func evaluate(t *testing.T, e *engine.Engine, s playground.Scenario) playground.Report {
	report, err := e.Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
