package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/crdlab/crdlab/internal/playground"
)

// requestTypes lists the endpoints of the engine with constructors of their Go values.
var requestTypes = []struct {
	path  string
	value func() any
}{
	{"evaluate", func() any { return new(playground.Scenario) }},
	{"complete", func() any { return new(playground.Cursor) }},
	{"hover", func() any { return new(playground.Cursor) }},
	{"explain", func() any { return new(playground.Cursor) }},
	{"sample", func() any { return new(playground.SampleRequest) }},
	{"template", func() any { return new(playground.TemplateRequest) }},
	{"format", func() any { return new(playground.FormatRequest) }},
	{"try", func() any { return new(playground.TryRequest) }},
}

// FuzzRequests sends arbitrary bodies to the endpoints of the engine. The engine must
// receive the value that encoding/json decodes from the body; a problem must describe
// any other body.
func FuzzRequests(f *testing.F) {
	for i, bodies := range [][]string{
		{sharedScenario, `{}`, `null`, `[]`, `{"crd":1}`, `{"crds":""}`, `{"crd":"a","crd":"b","CRD":"c"}`, "{\"crd\":\"\xff\"}", `{"crd":"\ud83d"}`, `{"crd":"a"} {}`, `{"replicas":2147483648}`},
		{`{"scenario": {"crd": ""}, "document": "crd", "position": {"line": 1, "character": 2}}`},
		{`{"scenario": {"crd": "\u0000"}, "document": "object", "position": {"line": -1, "character": 1e3}}`},
		{`{"crd": "a: <b>", "full": true}`, `{"crd": "`},
		{`{"text": "a"}`, `{"text": null}`},
		{`{"scenario": {"crd": ""}, "trial": {"expression": "self", "object": 0, "path": "spec"}, "position": {"line": 0, "character": 0}}`},
	} {
		for _, body := range bodies {
			f.Add(uint8(i), []byte(body))
		}
	}
	var received any
	engine := func(ctx context.Context, request playground.Request) ([]byte, error) {
		if request.Task != playground.TaskAssist {
			return local(func(ctx context.Context, scenario playground.Scenario) (playground.Report, error) {
				received = &scenario
				return echo(ctx, scenario)
			})(ctx, request)
		}
		return localAssist(func(ctx context.Context, request playground.AssistRequest) (playground.AssistResponse, error) {
			received = partOf(request)
			return playground.AssistResponse{}, nil
		})(ctx, request)
	}
	server, err := New(Config{Engine: engine, Assets: builtPage, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, endpoint uint8, body []byte) {
		requestType := requestTypes[int(endpoint)%len(requestTypes)]
		path, want := requestType.path, requestType.value()
		received = nil
		response := request(server, http.MethodPost, "/api/v1/"+path, string(body))
		decoder := json.NewDecoder(strings.NewReader(string(body)))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(want)
		if err == nil {
			if _, after := decoder.Token(); after != io.EOF {
				err = io.ErrUnexpectedEOF
			}
		}
		if err != nil {
			if received != nil || response.Code != http.StatusBadRequest || response.Header().Get("Content-Type") != problemType {
				t.Errorf("%s %q: %v, but status %d: %s", path, body, err, response.Code, response.Body)
			}
			return
		}
		if response.Code != http.StatusOK || !json.Valid(response.Body.Bytes()) || !reflect.DeepEqual(received, want) {
			t.Errorf("%s %q: status %d, the engine received %+v, want %+v", path, body, response.Code, received, want)
		}
	})
}

// partOf returns the only part of an assist request.
func partOf(request playground.AssistRequest) any {
	for _, part := range reflect.ValueOf(request).Fields() {
		if !part.IsNil() {
			return part.Interface()
		}
	}
	return nil
}
