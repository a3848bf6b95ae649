//go:build js && wasm

// Package boundary gives the JavaScript world an engine as two functions,
//
//	crdlabEvaluate(scenario: string): string
//	crdlabHelp(question: string): string
//
// which take the JSON of a playground.Scenario or a playground.Question and
// return, when they are done, that of a playground.Answer or a playground.Help,
// or {"error": "…"} if the module is at fault. Once the functions are there,
// crdlabReady is called if it is a function.
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

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/ui"
)

// gcPercent trades 20 MiB of memory for about a fifth of the time.
const gcPercent = 200

// Serve gives e to JavaScript and never returns.
func Serve(e *engine.Engine) {
	debug.SetGCPercent(gcPercent)
	export("crdlabEvaluate", func(scenario playground.Scenario) (playground.Answer, error) {
		return answer(e.Evaluate, scenario)
	})
	export("crdlabHelp", func(question playground.Question) (playground.Help, error) {
		return e.Help(context.Background(), question)
	})
	if ready := js.Global().Get("crdlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

// export gives JavaScript a function that takes and returns JSON.
func export[Request, Answer any](name string, serve func(Request) (Answer, error)) {
	js.Global().Set(name, js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if len(arguments) != 1 || arguments[0].Type() != js.TypeString {
			return failure(errors.New(name + " takes one string"))
		}
		return reply(serve, arguments[0].String())
	}))
}

// reply is the JSON of the answer or of the failure to give one.
func reply[Request, Answer any](serve func(Request) (Answer, error), request string) (text string) {
	defer func() {
		if cause := recover(); cause != nil {
			text = failure(fmt.Errorf("the engine failed: %v", cause))
		}
	}()
	var decoded Request
	decoder := json.NewDecoder(strings.NewReader(request))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&decoded); err != nil {
		return failure(fmt.Errorf("decode the request: %w", err))
	}
	answer, err := serve(decoded)
	if err != nil {
		return failure(err)
	}
	if text, err = encode(answer); err != nil {
		return failure(fmt.Errorf("encode the answer: %w", err))
	}
	return text
}

type evaluateFunc func(context.Context, playground.Scenario) (playground.Report, error)

func answer(evaluate evaluateFunc, scenario playground.Scenario) (playground.Answer, error) {
	report, err := evaluate(context.Background(), scenario)
	if err != nil {
		return playground.Answer{}, err
	}
	panels, err := ui.Panels(report)
	return playground.Answer{Report: report, Panels: panels}, err
}

func failure(err error) string {
	text, err := encode(map[string]string{"error": err.Error()})
	if err != nil {
		return `{"error": "the engine failed"}`
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
