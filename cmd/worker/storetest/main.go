//go:build js && wasm

// Command storetest is a Worker for tests: it puts the store in Workers KV
// through the cases of every store and answers what went wrong.
package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"

	"github.com/syumai/workers"

	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

// outcome is that of one case; Error is empty if the store keeps its promise.
type outcome struct {
	Name  string `json:"name"`
	Error string `json:"error"`
}

func main() {
	store, err := share.OpenKV("SHARES")
	if err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		os.Exit(1)
	}
	workers.Serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var outcomes []outcome
		for _, c := range storetest.Cases {
			o := outcome{Name: c.Name}
			if err := c.Run(r.Context(), store); err != nil {
				o.Error = err.Error()
			}
			outcomes = append(outcomes, o)
		}
		_ = json.NewEncoder(w).Encode(outcomes)
	}))
}
