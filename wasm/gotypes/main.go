//go:build js && wasm

// Command gotypes generates CRDs from Go types in a page. It exports two functions of the
// engine's module, see package boundary:
//
//	crdlabHelp(question: string): string
//	crdlabRest()
//
// The question is a playground.AssistRequest about Go.
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
	exchange.Export("crdlabHelp", func(request string, _, _ js.Value) any { return exchange.Reply(help(request)) })
	js.Global().Set("crdlabRest", js.FuncOf(func(js.Value, []js.Value) any {
		runtime.GC()
		return nil
	}))
	exchange.Announce()
	select {}
}

func help(request string) (help playground.AssistResponse, err error) {
	defer exchange.RecoverPanic(&err)
	var question playground.AssistRequest
	if err := exchange.Decode(request, &question); err != nil {
		return help, err
	}
	help, ok, err := gotypes.Answer(context.Background(), question)
	if !ok {
		return help, errors.New("this module only knows Go types")
	}
	return help, err
}
