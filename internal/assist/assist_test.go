package assist_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/enginetest/cases"
	"github.com/crdlab/crdlab/internal/playground"
)

// cursorMark marks the cursor in a document of a case, and tab stops in completion.txt.
const cursorMark = "█"

// TestCases sends the requests of the cases in testdata: completion, hover, explanation and
// evaluation at the marked position. completion.txt, hover.txt, explained.txt and tried.yaml
// contain the expected responses.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	e := engine.New()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			cursor := readCursor(t, archive)
			for i, f := range archive.Files {
				got, ok := respondAs(t, e, f.Name, cursor)
				if !ok {
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

// respondAs returns the content for a file of expected responses. It reports false for
// other files.
func respondAs(t *testing.T, e *engine.Engine, name string, cursor playground.Cursor) (content string, ok bool) {
	t.Helper()
	switch name {
	case "completion.txt":
		return formatCompletion(respond(t, e, playground.AssistRequest{Complete: &cursor}).Complete), true
	case "hover.txt":
		return formatHover(respond(t, e, playground.AssistRequest{Hover: &cursor}).Hover), true
	case "explained.txt":
		return formatExplanation(respond(t, e, playground.AssistRequest{Explain: &cursor}).Explain), true
	case "tried.yaml":
		return formatResult(t, respond(t, e, playground.AssistRequest{Try: evaluationAt(cursor)}).Try), true
	case "template.yaml":
		request := playground.TemplateRequest{CRD: cursor.Scenario.CRD, Document: cursor.Document}
		return respond(t, e, playground.AssistRequest{Template: &request}).Template.Text, true
	case "published.json", "published-strict.json":
		request := playground.PublishRequest{Scenario: cursor.Scenario, Version: "v1", Strict: name == "published-strict.json"}
		published := respond(t, e, playground.AssistRequest{Publish: &request}).Publish
		return published.Name + "\n" + published.Text, true
	}
	return "", false
}

func respond(t *testing.T, e *engine.Engine, q playground.AssistRequest) playground.AssistResponse {
	t.Helper()
	response, err := assist.New(e).Respond(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// evaluationAt returns a request to evaluate the cursor's expression, for the value at the
// cursor if the cursor is in the object.
func evaluationAt(cursor playground.Cursor) *playground.TryRequest {
	request := &playground.TryRequest{Scenario: cursor.Scenario, Trial: *cursor.Trial}
	if cursor.Document == playground.DocumentObject {
		request.Position = &cursor.Position
	}
	return request
}

func formatResult(t *testing.T, result *playground.TryResult) string {
	t.Helper()
	encoded, err := cases.EncodeValue(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// readCursor reads the documents of a case and removes the mark of the cursor.
// expression.cel is an expression of the console; trial.json selects its value.
func readCursor(t *testing.T, archive *txtar.Archive) playground.Cursor {
	cursor := playground.Cursor{Scenario: playground.Scenario{Now: cases.Now}}
	trial := playground.Expression{}
	type target struct {
		source   *string
		document playground.Document
	}
	documents := map[string]target{
		"crd.yaml":        {&cursor.Scenario.CRD, playground.DocumentCRD},
		"object.yaml":     {&cursor.Scenario.Object, playground.DocumentObject},
		"old-crd.yaml":    {&cursor.Scenario.OldCRD, playground.DocumentOldCRD},
		"old-object.yaml": {&cursor.Scenario.OldObject, playground.DocumentOldObject},
		"admission.yaml":  {&cursor.Scenario.Admission, playground.DocumentAdmission},
		"conversion.yaml": {&cursor.Scenario.Conversion, playground.DocumentConversion},
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
		target, ok := documents[f.Name]
		if !ok {
			continue
		}
		before, after, isMarked := strings.Cut(strings.TrimSuffix(string(f.Data), "\n"), cursorMark)
		*target.source = before + after
		if isMarked {
			line := before[strings.LastIndexByte(before, '\n')+1:]
			cursor.Document = target.document
			cursor.Position = playground.Position{Line: strings.Count(before, "\n"), Character: len([]rune(line))}
		}
	}
	if cursor.Document == "" && cursor.Trial == nil {
		t.Fatal("no document has a cursor")
	}
	return cursor
}

// formatCompletion writes one line per item: its properties, its insertion with marks at
// the tab stops, and its description.
func formatCompletion(completion *playground.Completion) string {
	var b strings.Builder
	b.WriteString(formatRange(completion.Range) + "\n")
	for _, item := range completion.Items {
		flags := ""
		if item.Required {
			flags = " required"
		}
		insert := []rune(item.Insert)
		for _, stop := range slices.Backward(item.Stops) {
			insert = slices.Insert(insert, stop, []rune(cursorMark)...)
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

func formatHover(hover *playground.Hover) string {
	var b strings.Builder
	b.WriteString(formatRange(hover.Range) + "\n" + hover.Title + " <" + hover.Type + ">\n" + hover.Description + "\n")
	for _, fact := range hover.Facts {
		b.WriteString(fact.Name + ": " + strings.ReplaceAll(fact.Text, "\n", `\n`) + "\n")
	}
	return b.String()
}

// formatExplanation writes the parts of an explanation, one in each line.
func formatExplanation(explained *playground.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s <%s> in %s", explained.Title, explained.Type, explained.Document)
	if explained.Schema != nil {
		fmt.Fprintf(&b, " at %s %s", explained.SchemaPath, formatRange(*explained.Schema))
	}
	fmt.Fprintf(&b, "%s\n", map[bool]string{true: ", a rule"}[explained.IsRule])
	for _, fact := range explained.Facts {
		b.WriteString(fact.Name + ": " + fact.Text + "\n")
	}
	if explained.Problem != "" {
		b.WriteString("problem: " + explained.Problem + "\n")
	}
	for _, change := range explained.Changes {
		fmt.Fprintf(&b, "%s: %s %s %s\n", change.Cause, change.Op, change.Path, change.Value)
	}
	for _, rule := range explained.Rules {
		fmt.Fprintf(&b, "rule %s %s costs %d of %d\n", rule.Rule.Rule, formatRange(rule.Rule.Range), rule.Rule.EstimatedCost, rule.Rule.CostLimit)
		if rule.Result != nil {
			fmt.Fprintf(&b, "  %s %s at %q costs %d\n", rule.Result.Outcome, rule.Result.Why, rule.Result.Path, rule.Result.ActualCost)
		}
		if rule.Bound != nil {
			b.WriteString("  bound: " + rule.Bound.Title + "\n")
		}
	}
	return b.String()
}

func formatRange(r playground.Range) string {
	encoded, _ := encodeJSON([]int{r.Start.Line, r.Start.Character, r.End.Line, r.End.Character})
	return encoded
}

func encodeJSON(value any) (string, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return strings.TrimSpace(b.String()), err
}

// readCases reads the cases of the engine.
func readCases(t testing.TB) []cases.Case {
	all, err := cases.Read("../engine/testdata")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var update = flag.Bool("update", false, "rewrite the expected responses")
