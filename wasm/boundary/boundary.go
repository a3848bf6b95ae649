//go:build js && wasm

// Package boundary gives the JavaScript world an engine as one function,
//
//	crdlabEvaluate(scenario: string): string
//
// which takes the JSON of a playground.Scenario and returns, when it is done,
// that of a playground.Answer, or {"error": "…"} if the module is at fault.
// Once the function is there, crdlabReady is called if it is a function.
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
	js.Global().Set("crdlabEvaluate", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if len(arguments) != 1 || arguments[0].Type() != js.TypeString {
			return failure(errors.New("crdlabEvaluate takes one string"))
		}
		return reply(e.Evaluate, arguments[0].String())
	}))
	if ready := js.Global().Get("crdlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

type evaluateFunc func(context.Context, playground.Scenario) (playground.Report, error)

// reply is the JSON of the answer or of the failure to give one.
func reply(evaluate evaluateFunc, scenario string) (text string) {
	defer func() {
		if cause := recover(); cause != nil {
			text = failure(fmt.Errorf("the engine failed: %v", cause))
		}
	}()
	answer, err := answer(evaluate, scenario)
	if err != nil {
		return failure(err)
	}
	text, err = encode(answer)
	if err != nil {
		return failure(fmt.Errorf("encode the answer: %w", err))
	}
	return text
}

func answer(evaluate evaluateFunc, text string) (playground.Answer, error) {
	var scenario playground.Scenario
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&scenario); err != nil {
		return playground.Answer{}, fmt.Errorf("decode the scenario: %w", err)
	}
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
