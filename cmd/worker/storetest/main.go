//go:build js && wasm

// Command storetest is a Worker that runs the store tests on Workers KV and
// responds with the outcomes as JSON.
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

// outcome is the result of a test case. Error is empty if the case passed.
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
