package renderer

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/examples"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// newTestRenderer returns a renderer whose engine accepts every CRD, with its source as
// its name, and returns an object with the source of the object.
func newTestRenderer() *Renderer {
	return New(Engine{Library: "1.37.2", Evaluate: func(_ context.Context, s playground.Scenario) (playground.Report, error) {
		report := playground.EmptyReport()
		report.Kubernetes = playground.Kubernetes{Library: "1.37.2", Emulated: "1.37"}
		report.CRD.Name, report.CRD.Accepted = s.CRD, true
		if s.Object != "" {
			stored, err := json.Marshal(s.Object)
			if err != nil {
				return report, err
			}
			report.Objects = append(report.Objects, playground.Object{
				Name: "a", Accepted: true, Stored: stored, Output: s.Object,
				Findings: []playground.Finding{{Severity: playground.SeverityWarning, Message: s.Object, Fixes: []playground.Fix{}, Related: []playground.Related{}}},
			})
		}
		return report, nil
	}, Assist: func(_ context.Context, request playground.AssistRequest) (playground.AssistResponse, error) {
		switch {
		case request.Format != nil:
			return playground.AssistResponse{Format: &playground.FormatResult{Text: strings.Repeat(request.Format.Text, 4)}}, nil
		case request.Sample != nil:
			return playground.AssistResponse{Sample: &playground.SampleResult{Object: "<b>"}}, nil
		}
		return playground.AssistResponse{}, nil
	}})
}

func encoded(t *testing.T, value any) []byte {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRender(t *testing.T) {
	renderer := newTestRenderer()
	scenario := playground.Scenario{CRD: "a <b>"}
	stopped := &playground.Stopped{Reason: "it took too much", Milliseconds: 2}
	for _, c := range []struct {
		name    string
		request playground.Request
		// want lists parts of the body.
		want []string
	}{
		{"report", playground.Request{Task: playground.TaskReport, Body: encoded(t, scenario)}, []string{`"name":"a <b>","accepted":true`}},
		{"panels", playground.Request{Task: playground.TaskPanels, Body: []byte(`{"scenario":{"crd":"a <b>"},"panels":["library"]}`)}, []string{`"outputs":[""],"panels":{"library":"`}},
		{"page", playground.Request{Task: playground.TaskPage, Body: encoded(t, ui.PageData{Scenario: scenario})}, []string{"<!doctype html>", "a &lt;b&gt;", examples.Default().Title}},
		{"embed", playground.Request{Task: playground.TaskEmbed, Body: encoded(t, ui.EmbedData{Scenario: scenario, Link: "/s/1"})}, []string{`<body class="embed">`, "a &lt;b&gt;", `href="/s/1"`}},
		{"stopped report", playground.Request{Task: playground.TaskReport, Body: encoded(t, scenario), Stopped: stopped}, []string{`"accepted":false`, "stopped without a verdict: it took too much", `"timing":{"crd":2,`}},
		{"stopped panels", playground.Request{Task: playground.TaskPanels, Body: []byte(`{"scenario":{},"panels":["outcome"]}`), Stopped: stopped}, []string{"Not evaluated", "it took too much"}},
		{"stopped page", playground.Request{Task: playground.TaskPage, Body: encoded(t, ui.PageData{Scenario: scenario}), Stopped: stopped}, []string{"<!doctype html>", "it took too much"}},
		{"formatted", playground.Request{Task: playground.TaskAssist, Body: []byte(`{"format":{"text":"<"}}`)}, []string{`{"text":"<<<<",`}},
		{"sample", playground.Request{Task: playground.TaskAssist, Body: []byte(`{"sample":{}}`)}, []string{`{"object":"<b>",`}},
		{"nothing to hover", playground.Request{Task: playground.TaskAssist, Body: []byte(`{"hover":{}}`)}, []string{"null\n"}},
	} {
		body, err := renderer.Render(t.Context(), c.request)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		for _, part := range c.want {
			if !strings.Contains(string(body), part) {
				t.Errorf("%s lacks %s: %.300s", c.name, part, body)
			}
		}
	}
	for _, request := range []playground.Request{
		{Task: playground.TaskReport, Body: []byte(`{"crds":""}`)},
		{Task: playground.TaskPanels, Body: []byte(`{"scenario":{},"panel":[]}`)},
	} {
		if _, err := renderer.Render(t.Context(), request); !errors.Is(err, playground.ErrUnreadable) {
			t.Errorf("%s: %v", request.Body, err)
		}
	}
	_, err := renderer.Render(t.Context(), playground.Request{Task: playground.TaskPanels, Body: []byte(`{"scenario":{},"panels":["all"]}`)})
	if want := (&playground.InvalidScenarioError{Parameter: "panels", Message: `there is no panel "all"`}); !reflect.DeepEqual(err, want) {
		t.Errorf("an unknown panel: %v", err)
	}
}

// TestLargeResults renders results above the limit.
func TestLargeResults(t *testing.T) {
	renderer := newTestRenderer()
	scenario := playground.Scenario{CRD: "a", Object: strings.Repeat("é", MaxResult/6)}
	for name, request := range map[string]playground.Request{
		"report":        {Task: playground.TaskReport, Body: encoded(t, scenario)},
		"panels":        {Task: playground.TaskPanels, Body: encoded(t, playground.View{Scenario: scenario})},
		"report again":  {Task: playground.TaskReport, Body: encoded(t, playground.Scenario{CRD: "b", Object: scenario.Object})},
		"report of CRD": {Task: playground.TaskReport, Body: encoded(t, playground.Scenario{CRD: strings.Repeat("a", MaxResult)})},
	} {
		body, err := renderer.Render(t.Context(), request)
		if err != nil || len(body) > 100<<10 || !strings.Contains(string(body), "the report is larger than 16 MiB, so only the verdicts and the first findings are shown") {
			t.Errorf("%s: %v, %d bytes: %.300s", name, err, len(body), body)
		}
	}
	var report playground.Report
	body, err := renderer.Render(t.Context(), playground.Request{Task: playground.TaskReport, Body: encoded(t, scenario)})
	if err == nil {
		err = json.Unmarshal(body, &report)
	}
	if err != nil || !report.CRD.Accepted || !report.Objects[0].Accepted || report.Objects[0].Findings[0].Message != strings.Repeat("é", shortText/2)+"…" {
		t.Errorf("%v: %.300s", err, body)
	}

	_, err = renderer.Render(t.Context(), playground.Request{Task: playground.TaskAssist, Body: encoded(t, playground.AssistRequest{Format: &playground.FormatRequest{Text: strings.Repeat("a", MaxResult/3)}})})
	if want := (&playground.StoppedError{Reason: "its result is larger than 16 MiB"}); !reflect.DeepEqual(err, want) {
		t.Errorf("a large document: %v", err)
	}
}
