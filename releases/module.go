//go:build js && wasm

package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
)

// The garbage collector has the same settings as in wasm/boundary.
const (
	gcPercent       = 200
	softMemoryLimit = 896 << 20
)

// main exports a function to JavaScript and calls crdlabReady if it is a function:
//
//	crdlabJudge(request: string): Promise<string>
//
// The argument is a verdict.Request in JSON. The result is a verdict.Judgment in JSON, or
// {"error": "…"} if the module fails.
func main() {
	klog.SetLogger(logr.Discard())
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(softMemoryLimit)
	js.Global().Set("crdlabJudge", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		request := arguments[0].String()
		return newPromise(func() string { return judgeJSON(request) })
	}))
	if ready := js.Global().Get("crdlabReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}

// newPromise returns a promise of the result of a function. The handlers wait for other
// goroutines, so they cannot run in a call from JavaScript.
func newPromise(run func() string) js.Value {
	executor := js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		go func() { arguments[0].Invoke(run()) }() // resolve
		return nil
	})
	defer executor.Release()
	return js.Global().Get("Promise").New(executor)
}

// judgeJSON returns the judgment, or an object with the error.
func judgeJSON(request string) (judgment string) {
	defer func() {
		if cause := recover(); cause != nil {
			judgment = encodeError(fmt.Errorf("the module failed: %v", cause))
		}
	}()
	encoded, err := reply([]byte(request))
	if err != nil {
		return encodeError(err)
	}
	return string(encoded)
}

func encodeError(err error) string {
	encoded, _ := json.Marshal(map[string]string{"error": err.Error()}) // a string
	return string(encoded)
}
