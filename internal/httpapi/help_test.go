package httpapi

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// echoHelp is an engine that returns parts of the request.
func echoHelp(_ context.Context, question playground.AssistRequest) (playground.AssistResponse, error) {
	nothing := playground.Range{}
	switch {
	case question.Complete != nil:
		at := playground.Range{Start: question.Complete.Position, End: question.Complete.Position}
		return playground.AssistResponse{Completion: &playground.Completion{Range: at, Items: []playground.CompletionItem{}}}, nil
	case question.Hover != nil:
		if question.Hover.Document == "nope" {
			return playground.AssistResponse{}, &playground.InvalidScenarioError{Parameter: "document", Message: "must be a document"}
		}
		return playground.AssistResponse{Hover: &playground.Hover{Title: string(question.Hover.Document), Range: nothing, Facts: []playground.Fact{}}}, nil
	case question.Explain != nil:
		return playground.AssistResponse{Explained: &playground.Explanation{
			Title: string(question.Explain.Document), Document: playground.DocumentCRD, Facts: []playground.Fact{}, Changes: []playground.Change{}, Rules: []playground.ExplainedRule{},
		}}, nil
	case question.Template != nil:
		return playground.AssistResponse{Template: &playground.Template{Text: question.Template.CRD}}, nil
	case question.Sample != nil:
		return playground.AssistResponse{Sample: &playground.Sample{Object: question.Sample.CRD, Unsolved: []string{}}}, nil
	case question.Try != nil:
		return playground.AssistResponse{Tried: &playground.ExpressionResult{
			Path: question.Try.Trial.Path, Objects: []string{}, Paths: []string{}, Errors: []playground.ExpressionError{}, Trace: []playground.TraceStep{}, Outcome: playground.OutcomeSkipped,
		}}, nil
	case question.Fields != nil:
		return playground.AssistResponse{Tree: &playground.FieldTree{Versions: []string{}, ShortNames: []string{}, Version: question.Fields.Version, Fields: []playground.Field{}}}, nil
	case question.Insert != nil:
		return playground.AssistResponse{Insertion: &playground.Insertion{Present: &playground.Range{Start: *question.Insert.Position, End: *question.Insert.Position}, Problem: question.Insert.Field[0]}}, nil
	case question.Test != nil:
		return playground.AssistResponse{Tested: &playground.TestResult{Documents: []playground.TestedDocument{}, Rules: []playground.TestedRule{}, Problems: []string{question.Test.Scenario.CRD}}}, nil
	case question.Export != nil:
		return playground.AssistResponse{TestFile: &playground.TestFile{Text: question.Export.Scenario.CRD, Omitted: []string{}, Failures: []string{}}}, nil
	case question.Publish != nil:
		return playground.AssistResponse{Published: &playground.JSONSchema{Name: question.Publish.Version, Text: question.Publish.Scenario.CRD}}, nil
	case question.CompleteGo != nil:
		return playground.AssistResponse{Completion: &playground.Completion{Items: []playground.CompletionItem{}}}, nil
	case question.HoverGo != nil:
		return playground.AssistResponse{Hover: &playground.Hover{Title: question.HoverGo.Text, Facts: []playground.Fact{}}}, nil
	case question.Generate != nil:
		return playground.AssistResponse{Generated: &playground.GeneratedCRDs{CRDs: question.Generate.Text + question.Generate.Options, Problems: []playground.GoProblem{}, Origins: []playground.Origin{}}}, nil
	}
	return playground.AssistResponse{Formatted: &playground.Formatted{Text: question.Format.Text}}, nil
}

func TestAssist(t *testing.T) {
	server, _ := serve(t, Config{Engine: localAssist(echoHelp)})
	for _, c := range []struct{ path, body, want string }{
		{
			"complete", `{"scenario": {"crd": ""}, "document": "crd", "position": {"line": 1, "character": 2}}`,
			`{"range":{"start":{"line":1,"character":2},"end":{"line":1,"character":2}},"items":[]}`,
		},
		{
			"hover", `{"scenario": {"crd": ""}, "document": "object", "position": {"line": 0, "character": 0}}`,
			`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"title":"object","type":"","description":"","facts":[]}`,
		},
		{
			"explain", `{"scenario": {"crd": ""}, "document": "object", "position": {"line": 0, "character": 0}}`,
			`{"title":"object","type":"","facts":[],"document":"crd","schema":null,"schemaPath":"","problem":"","changes":[],"rules":[],"isRule":false}`,
		},
		{"test", `{"scenario": {"crd": "a"}}`, `{"documents":[],"rules":[],"problems":["a"],"approximate":false}`},
		{"export", `{"scenario": {"crd": "a"}}`, `{"text":"a","omitted":[],"failures":[]}`},
		{"completeGo", `{"text": "a", "position": {"line": 0, "character": 0}}`, `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"items":[]}`},
		{"hoverGo", `{"text": "a", "position": {"line": 0, "character": 0}}`, `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"title":"a","type":"","description":"","facts":[]}`},
		{"publish", `{"scenario": {"crd": "a"}, "version": "v1"}`, `{"name":"v1","text":"a"}`},
		{"generate", `{"text": "a", "options": "b"}`, `{"crds":"ab","problems":[],"origins":[]}`},
		{"fields", `{"scenario": {"crd": ""}, "version": "v1"}`, `{"versions":[],"group":"","scope":"","shortNames":[],"version":"v1","fields":[],"omitted":0}`},
		{
			"insert", `{"scenario": {"crd": ""}, "field": ["spec"], "position": {"line": 1, "character": 2}}`,
			`{"fix":null,"present":{"start":{"line":1,"character":2},"end":{"line":1,"character":2}},"problem":"spec"}`,
		},
		{"template", `{"crd": "a: <b>", "document": "admission"}`, `{"text":"a: <b>"}`},
		{"sample", `{"crd": "a: <b>", "full": true}`, `{"object":"a: <b>","unsolved":[]}`},
		{
			"try", `{"scenario": {"crd": ""}, "trial": {"expression": "self", "object": 0, "path": "spec"}, "position": {"line": 0, "character": 0}}`,
			`{"problem":"","object":0,"path":"spec","range":null,"version":"","schemaPath":"","objects":[],"paths":[],"self":"","errors":[],"type":"","usesOldSelf":false,"optionalOldSelf":false,"outcome":"skipped","why":"","failure":"","value":"","trace":[],"actualCost":0,"expressionCost":0,"cardinality":0,"unbounded":false,"estimatedCost":0,"costLimit":0}`,
		},
		{"format", `{"text": "a"}`, `{"text":"a","problem":"","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}}}`},
	} {
		response, body := post(t, server.URL+"/api/v1/"+c.path, c.body)
		if response.StatusCode != http.StatusOK || body != c.want+"\n" {
			t.Errorf("%s: %d, %s", c.path, response.StatusCode, body)
		}
	}
	response, body := post(t, server.URL+"/api/v1/sample", `{"crds": ""}`)
	wantProblem(t, response, body, kindMalformed, `The request has an unknown field "crds".`)
	response, body = post(t, server.URL+"/api/v1/hover", `{"document": "nope"}`)
	wantProblem(t, response, body, kindMalformed, `"document": must be a document`)
}

func TestAssistLimits(t *testing.T) {
	server, _ := serve(t, Config{EvaluationTimeout: 20 * time.Millisecond, Engine: localAssist(func(ctx context.Context, question playground.AssistRequest) (playground.AssistResponse, error) {
		if question.Format.Text == "memory" {
			return playground.AssistResponse{}, &playground.StoppedError{Reason: "it took too much memory"}
		}
		<-ctx.Done()
		return playground.AssistResponse{}, ctx.Err()
	})})
	response, body := post(t, server.URL+"/api/v1/format", `{"text": "memory"}`)
	wantProblem(t, response, body, kindStopped, "The evaluation was stopped: it took too much memory.")
	response, body = post(t, server.URL+"/api/v1/format", `{"text": "time"}`)
	wantProblem(t, response, body, kindEvalTimedOut, "The evaluation exceeded the time limit of 0.02 s.")
}
