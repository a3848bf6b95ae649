package httpapi

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
)

// echoAssist is an engine that returns parts of the request.
func echoAssist(_ context.Context, request playground.AssistRequest) (playground.AssistResponse, error) {
	nothing := playground.Range{}
	switch {
	case request.Complete != nil:
		at := playground.Range{Start: request.Complete.Position, End: request.Complete.Position}
		return playground.AssistResponse{Complete: &playground.Completion{Range: at, Items: []playground.CompletionItem{}}}, nil
	case request.Hover != nil:
		if request.Hover.Document == "nope" {
			return playground.AssistResponse{}, &playground.InvalidScenarioError{Parameter: "document", Message: "must be a document"}
		}
		return playground.AssistResponse{Hover: &playground.Hover{Title: string(request.Hover.Document), Range: nothing, Facts: []playground.Fact{}}}, nil
	case request.Explain != nil:
		return playground.AssistResponse{Explain: &playground.Explanation{
			Title: string(request.Explain.Document), Document: playground.DocumentCRD, Facts: []playground.Fact{}, Changes: []playground.Change{}, Rules: []playground.ExplainedRule{},
		}}, nil
	case request.Template != nil:
		return playground.AssistResponse{Template: &playground.TemplateResult{Text: request.Template.CRD}}, nil
	case request.Sample != nil:
		return playground.AssistResponse{Sample: &playground.SampleResult{Object: request.Sample.CRD, Unsolved: []string{}}}, nil
	case request.Try != nil:
		return playground.AssistResponse{Try: &playground.TryResult{
			Path: request.Try.Trial.Path, Objects: []string{}, Paths: []string{}, Errors: []playground.ExpressionError{}, Trace: []playground.TraceStep{}, Outcome: playground.OutcomeSkipped,
		}}, nil
	case request.Fields != nil:
		return playground.AssistResponse{Fields: &playground.FieldsResult{Versions: []string{}, ShortNames: []string{}, Version: request.Fields.Version, Fields: []playground.Field{}}}, nil
	case request.Insert != nil:
		return playground.AssistResponse{Insert: &playground.InsertResult{Present: &playground.Range{Start: *request.Insert.Position, End: *request.Insert.Position}, Problem: request.Insert.Field[0]}}, nil
	case request.Test != nil:
		return playground.AssistResponse{Test: &playground.TestResult{Documents: []playground.TestedDocument{}, Rules: []playground.TestedRule{}, Problems: []string{request.Test.Scenario.CRD}}}, nil
	case request.Mutate != nil:
		return playground.AssistResponse{Mutate: &playground.MutateResult{Next: request.Mutate.From, Missed: []playground.MissedChange{}}}, nil
	case request.Plan != nil:
		return playground.AssistResponse{Plan: &playground.PlanResult{Steps: []playground.PlanStep{}, Summary: []string{request.Plan.Scenario.OldCRD}}}, nil
	case request.Export != nil:
		return playground.AssistResponse{Export: &playground.ExportResult{Text: request.Export.Scenario.CRD, Omitted: []string{}, Failures: []string{}}}, nil
	case request.Publish != nil:
		return playground.AssistResponse{Publish: &playground.PublishResult{Name: request.Publish.Version, Text: request.Publish.Scenario.CRD}}, nil
	case request.CompleteGo != nil:
		return playground.AssistResponse{CompleteGo: &playground.Completion{Items: []playground.CompletionItem{}}}, nil
	case request.HoverGo != nil:
		return playground.AssistResponse{HoverGo: &playground.Hover{Title: request.HoverGo.Text, Facts: []playground.Fact{}}}, nil
	case request.Generate != nil:
		return playground.AssistResponse{Generate: &playground.GenerateResult{CRDs: request.Generate.Text + request.Generate.Options, Problems: []playground.GoProblem{}, Origins: []playground.Origin{}}}, nil
	}
	return playground.AssistResponse{Format: &playground.FormatResult{Text: request.Format.Text}}, nil
}

func TestAssist(t *testing.T) {
	server, _ := serve(t, Config{Engine: localAssist(echoAssist)})
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
		{"mutate", `{"scenario": {"crd": "a"}, "from": 7}`, `{"next":7,"total":0,"failing":false,"noticed":0,"missed":[],"open":0}`},
		{"plan", `{"scenario": {"crd": "a", "oldCrd": "b"}, "from": 7}`, `{"steps":[],"trials":0,"done":false,"summary":["b"]}`},
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
	server, _ := serve(t, Config{EvaluationTimeout: 20 * time.Millisecond, Engine: localAssist(func(ctx context.Context, request playground.AssistRequest) (playground.AssistResponse, error) {
		if request.Format.Text == "memory" {
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
