//go:build js && wasm

// Package exchange exports functions that exchange JSON with JavaScript.
package exchange

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"syscall/js"

	"github.com/crdlab/crdlab/internal/playground"
)

// Export defines a global JavaScript function with a string argument and two optional
// objects: documents and judgments.
func Export(name string, serve func(request string, sources, judgments js.Value) any) {
	js.Global().Set(name, js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		if len(arguments) == 0 || arguments[0].Type() != js.TypeString {
			return Reply(nil, errors.New(name+" takes a string"))
		}
		optional := [2]js.Value{}
		copy(optional[:], arguments[1:])
		return serve(arguments[0].String(), optional[0], optional[1])
	}))
}

// Announce tells the page that all functions are exported.
func Announce() {
	if ready := js.Global().Get("crdlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
}

// RecoverPanic converts a panic into an error.
func RecoverPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the engine failed: %v", cause)
	}
}

// Decode decodes a request strictly.
func Decode(request string, into any) error {
	decoder := json.NewDecoder(strings.NewReader(request))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("decode the request: %w", err)
	}
	return nil
}

// Reply encodes an answer or an error as JSON.
func Reply(answer any, err error) any {
	if err != nil {
		answer = map[string]string{"error": err.Error()}
	}
	encoded, err := playground.EncodeJSON(answer)
	if err != nil {
		return `{"error": "cannot encode the answer"}`
	}
	return string(encoded) + "\n"
}
