//go:build js && wasm

// Package boundary gives the JavaScript world an engine as three functions,
//
//	crdlabEvaluate(scenario: string): string
//	crdlabShow(view: string, documents: object): {answer: string, panels: object}
//	crdlabHelp(question: string, documents: object): string
//
// which take the JSON of a playground.Scenario, View or Question and return, when
// they are done, that of a playground.Report, Answer or Help. Texts take long to
// encode and to decode, and so the panels come beside their Answer, as strings by
// name, and documents hold those texts, likewise, that are left out of the
// scenario. If the module is at fault the answer is {"error": "…"} instead, which
// crdlabShow returns as an object. Once the functions are there, crdlabReady is
// called if it is a function.
package boundary

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"syscall/js"

	"github.com/crdlab/crdlab/internal/assist"
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// gcPercent trades 20 MiB of memory for about a fifth of the time.
const gcPercent = 200

// Serve gives e to JavaScript and never returns.
func Serve(e *engine.Engine) {
	debug.SetGCPercent(gcPercent)
	known := documents{}
	export("crdlabEvaluate", func(request string, _ js.Value) any {
		report, err := evaluate(e, request)
		return encodeReply(report, err)
	})
	export("crdlabShow", func(request string, texts js.Value) any {
		answer, err := show(e, request, texts, known)
		return showReply(answer, err)
	})
	export("crdlabHelp", func(request string, texts js.Value) any {
		help, err := help(e, request, texts, known)
		return encodeReply(help, err)
	})
	if ready := js.Global().Get("crdlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

// export gives JavaScript a function of a string and, if there is one, an object.
func export(name string, serve func(request string, texts js.Value) any) {
	js.Global().Set(name, js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if len(arguments) == 0 || arguments[0].Type() != js.TypeString {
			return encodeReply(nil, errors.New(name+" takes a string"))
		}
		texts := js.Null()
		if len(arguments) > 1 {
			texts = arguments[1]
		}
		return serve(arguments[0].String(), texts)
	}))
}

func evaluate(e *engine.Engine, request string) (report playground.Report, err error) {
	defer recovered(&err)
	var scenario playground.Scenario
	if err := decode(request, &scenario); err != nil {
		return report, err
	}
	return e.Evaluate(context.Background(), scenario)
}

func show(e *engine.Engine, request string, texts js.Value, known documents) (answer playground.Answer, err error) {
	defer recovered(&err)
	var view playground.View
	if err := decode(request, &view); err != nil {
		return answer, err
	}
	known.read(texts, &view.Scenario)
	report, preliminary, err := evaluateView(e, view)
	switch {
	case err != nil:
		return answer, err
	case preliminary:
		return ui.PreliminaryAnswer(report, view.Panels)
	}
	return ui.Answer(report, view.Panels)
}

func evaluateView(e *engine.Engine, view playground.View) (report playground.Report, preliminary bool, err error) {
	if view.Preliminary {
		return e.Preliminary(context.Background(), view.Scenario)
	}
	report, err = e.Evaluate(context.Background(), view.Scenario)
	return report, false, err
}

func help(e *engine.Engine, request string, texts js.Value, known documents) (help playground.Help, err error) {
	defer recovered(&err)
	var question playground.Question
	if err := decode(request, &question); err != nil {
		return help, err
	}
	if scenario := scenarioOf(&question); scenario != nil {
		known.read(texts, scenario)
	}
	return assist.New(e).Answer(context.Background(), question)
}

// scenarioOf is what a question is about, if that is a scenario.
func scenarioOf(question *playground.Question) *playground.Scenario {
	switch {
	case question.Complete != nil:
		return &question.Complete.Scenario
	case question.Hover != nil:
		return &question.Hover.Scenario
	case question.Try != nil:
		return &question.Try.Scenario
	}
	return nil
}

func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the engine failed: %v", cause)
	}
}

func decode(request string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(request))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("decode the request: %w", err)
	}
	return nil
}

// showReply is the answer, or the failure to give one, for JavaScript.
func showReply(answer playground.Answer, err error) any {
	panels := map[string]any{}
	for name, html := range answer.Panels {
		panels[name] = html
	}
	answer.Panels = nil
	text := ""
	if err == nil {
		text, err = encode(answer)
	}
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	return map[string]any{"answer": text, "panels": panels}
}

// encodeReply is the JSON of an answer or of the failure to give one.
func encodeReply(answer any, err error) any {
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	text, err := encode(answer)
	if err != nil {
		return `{"error": "the answer cannot be encoded"}`
	}
	return text
}

func encode(value any) (string, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.String(), err
}
