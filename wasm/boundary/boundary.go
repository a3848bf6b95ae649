//go:build js && wasm

// Package boundary exports an engine to JavaScript as five functions:
//
//	crdlabEvaluate(scenario: string): string
//	crdlabShow(view: string, documents: object, judgments?: object): {answer: string, panels: object}
//	crdlabRequest(view: string, documents: object): string
//	crdlabAssist(request: string, documents: object): string
//	crdlabRest()
//
// The first argument is a playground.Scenario, View or AssistRequest in JSON. The result is
// a playground.Report, Answer or AssistResponse in JSON. JSON encoding of long strings is slow,
// so documents are passed as properties of a JavaScript object instead of fields of
// the scenario, and panels are returned in the same way.
//
// crdlabRequest returns a verdict.Request in JSON, for the modules of older releases (see the
// directory releases). judgments maps releases to their replies.
//
// The page calls crdlabRest while it is idle; the module then collects garbage.
//
// If the module fails, the result is {"error": "…"}, which crdlabShow returns as an
// object. After exporting the functions, the package calls crdlabReady if it is a
// function.
package boundary

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/bundle"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
	"github.com/crdlab/crdlab/internal/verdict"
	"github.com/crdlab/crdlab/wasm/exchange"
)

// maxLive is the size of the live heap above which the caches of CRDs are emptied, in
// bytes. Sixteen versions of a large CRD would fill the memory.
const maxLive = 128 << 20

// startPercent makes the garbage collector run often while the module starts.
const startPercent = 10

// Serve exports e to JavaScript. It never returns.
func Serve(e *engine.Engine) {
	cache := documents{}
	evaluator := bundle.Evaluator(e.Evaluate)
	shown := &bundles{}
	exchange.Export("crdlabEvaluate", func(request string, _, _ js.Value) any {
		report, err := evaluate(evaluator, request)
		return exchange.Reply(report, err)
	})
	exchange.Export("crdlabShow", func(request string, sources, judgments js.Value) any {
		answer, err := show(e, shown, request, sources, judgments, cache)
		limitCaches(e)
		return showReply(answer, err)
	})
	exchange.Export("crdlabRequest", func(request string, sources, _ js.Value) any {
		judged, err := judgmentRequest(e, shown, request, sources, cache)
		return exchange.Reply(judged, err)
	})
	assistant := assist.New(e)
	exchange.Export("crdlabAssist", func(request string, sources, _ js.Value) any {
		response, err := respond(assistant, request, sources, cache)
		return exchange.Reply(response, err)
	})
	garbage := &collector{}
	js.Global().Set("crdlabRest", js.FuncOf(func(js.Value, []js.Value) any {
		garbage.rest()
		return nil
	}))
	// The started module contains the garbage of its start.
	debug.SetGCPercent(startPercent)
	runtime.GC()
	warmUp(e)
	exchange.Announce()
	garbage.collect()
	select {}
}

// warmUpCRD is a small CRD with a rule.
const warmUpCRD = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
"metadata": {"name": "things.example.com"}, "spec": {"group": "example.com", "scope": "Namespaced",
"names": {"plural": "things", "kind": "Thing"}, "versions": [{"name": "v1", "served": true, "storage": true,
"schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
"properties": {"size": {"type": "integer"}}, "x-kubernetes-validations": [{"rule": "self.size > 0"}]}}}}}]}}`

// warmUp evaluates a small scenario, so that the libraries of Kubernetes and CEL create what
// they create on first use. The engine then forgets the CRD.
func warmUp(e *engine.Engine) {
	scenario := playground.Scenario{CRD: warmUpCRD, Object: `{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"size": 1}}`}
	if report, err := e.Evaluate(context.Background(), scenario); err == nil {
		_, _ = ui.Answer(report, nil)
	}
	e.ForgetCRDs()
}

// limitCaches empties the caches of CRDs if the last garbage collection found a large heap.
func limitCaches(e *engine.Engine) {
	if liveHeap() > maxLive {
		e.ForgetCRDs()
	}
}

func evaluate(evaluator playground.Evaluate, request string) (report playground.Report, err error) {
	defer exchange.RecoverPanic(&err)
	var scenario playground.Scenario
	if err := exchange.Decode(request, &scenario); err != nil {
		return report, err
	}
	return evaluator(context.Background(), scenario)
}

func show(e *engine.Engine, shown *bundles, request string, sources, judgments js.Value, cache documents) (answer playground.Answer, err error) {
	defer exchange.RecoverPanic(&err)
	var view playground.View
	if err := exchange.Decode(request, &view); err != nil {
		return answer, err
	}
	cache.read(sources, &view.Scenario)
	report, preliminary, err := evaluateView(e, shown, view, judgments)
	if err != nil {
		return answer, err
	}
	answer, err = ui.Answer(report, view.Panels)
	answer.Preliminary = preliminary
	return answer, err
}

// bundles divides the scenarios of the page, and keeps the reports on the CRDs that are not chosen.
type bundles struct {
	divider bundle.Divider
	others  bundle.Others
}

// evaluateView evaluates the chosen CRD of a view. Each further request for the same scenario adds
// the report on another CRD, until the report is not preliminary: the page stays responsive.
func evaluateView(e *engine.Engine, shown *bundles, view playground.View, judgments js.Value) (report playground.Report, preliminary bool, err error) {
	b, err := shown.divider.Divide(view.Scenario)
	if err != nil {
		return report, false, err
	}
	if judgments.Type() == js.TypeObject {
		report, err = evaluateJudged(e, b, judgments)
		return report, false, err
	}
	limit := 1
	if view.Preliminary {
		limit = 0
	}
	report, isComplete, err := b.Evaluate(context.Background(), func(ctx context.Context, index int, s playground.Scenario) (playground.Report, error) {
		if !view.Preliminary || index != b.Chosen() {
			return e.Evaluate(ctx, s)
		}
		report, lacksWitnesses, err := e.Preliminary(ctx, s)
		preliminary = lacksWitnesses
		return report, err
	}, &shown.others, limit)
	return report, preliminary || !isComplete, err
}

// evaluateJudged evaluates the CRDs of a bundle with judgments of older releases.
func evaluateJudged(e *engine.Engine, b *bundle.Bundle, judgments js.Value) (playground.Report, error) {
	known, err := readJudgments(judgments)
	if err != nil {
		return playground.Report{}, err
	}
	report, _, err := b.Evaluate(context.Background(), func(ctx context.Context, index int, s playground.Scenario) (playground.Report, error) {
		if index == b.Chosen() {
			return e.EvaluateJudged(ctx, s, known)
		}
		others := map[string]verdict.Judgment{}
		for release, judgment := range known {
			if other, ok := judgment.Others[index]; ok {
				others[release] = other
			}
		}
		return e.EvaluateJudged(ctx, s, others)
	}, &bundle.Others{}, bundle.MaxOthers)
	return report, err
}

func judgmentRequest(e *engine.Engine, shown *bundles, request string, sources js.Value, cache documents) (judged *verdict.Request, err error) {
	defer exchange.RecoverPanic(&err)
	var view playground.View
	if err := exchange.Decode(request, &view); err != nil {
		return nil, err
	}
	cache.read(sources, &view.Scenario)
	b, err := shown.divider.Divide(view.Scenario)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	each := func(ctx context.Context, _ int, s playground.Scenario) (playground.Report, error) {
		return e.Evaluate(ctx, s)
	}
	if b.Len() > 1 {
		if err := b.Follow(ctx, each); err != nil {
			return nil, err
		}
	}
	full, err := e.JudgmentRequest(ctx, b.Scenario())
	for i := range min(b.Len(), bundle.MaxOthers+1) {
		if i == b.Chosen() || err != nil {
			continue
		}
		if full.Others == nil {
			full.Others = map[int]verdict.Request{}
		}
		full.Others[i], err = e.JudgmentRequest(ctx, b.At(i))
	}
	return &full, err
}

// readJudgments decodes the properties of a JavaScript object.
func readJudgments(judgments js.Value) (map[string]verdict.Judgment, error) {
	known := map[string]verdict.Judgment{}
	releases := js.Global().Get("Object").Call("keys", judgments)
	for i := range releases.Length() {
		release := releases.Index(i).String()
		judgment, err := verdict.DecodeJudgment([]byte(judgments.Get(release).String()))
		if err != nil {
			return nil, fmt.Errorf("release %s: %w", release, err)
		}
		known[release] = judgment
	}
	return known, nil
}

func respond(assistant *assist.Assistant, encoded string, sources js.Value, cache documents) (response playground.AssistResponse, err error) {
	defer exchange.RecoverPanic(&err)
	var request playground.AssistRequest
	if err := exchange.Decode(encoded, &request); err != nil {
		return response, err
	}
	if scenario := request.Scenario(); scenario != nil {
		cache.read(sources, scenario)
	}
	return assistant.Respond(context.Background(), request)
}

// showReply converts an answer or an error into a JavaScript object.
func showReply(answer playground.Answer, err error) any {
	panels := map[string]any{}
	for name, html := range answer.Panels {
		panels[name] = html
	}
	answer.Panels = nil
	var encoded []byte
	if err == nil {
		encoded, err = playground.EncodeJSON(answer)
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"answer": string(encoded), "panels": panels}
}
