//go:build js && wasm

// Command gotypes generates CRDs from Go types in a page. It exports two functions of the
// engine's module, see package boundary:
//
//	crdlabAssist(request: string): string
//	crdlabRest()
//
// The request is a playground.AssistRequest about Go.
package main

import (
	"context"
	"errors"
	"runtime"
	"runtime/debug"
	"syscall/js"

	"github.com/crdlab/crdlab/internal/gotypes"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/wasm/exchange"
)

// The garbage of a generation is many times as large as what remains, so collections would need a
// third of the time. Most run while the page is idle. Near the limit, which is below the module's
// maximum, they run more often.
const (
	gcPercent       = 1000
	softMemoryLimit = 512 << 20
)

func main() {
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(softMemoryLimit)
	exchange.Export("crdlabAssist", func(request string, _, _ js.Value) any { return exchange.Reply(respond(request)) })
	js.Global().Set("crdlabRest", js.FuncOf(func(js.Value, []js.Value) any {
		runtime.GC()
		return nil
	}))
	exchange.Announce()
	select {}
}

func respond(encoded string) (response playground.AssistResponse, err error) {
	defer exchange.RecoverPanic(&err)
	var request playground.AssistRequest
	if err := exchange.Decode(encoded, &request); err != nil {
		return response, err
	}
	response, ok, err := gotypes.Respond(context.Background(), request)
	if !ok {
		return response, errors.New("this module only knows Go types")
	}
	return response, err
}
