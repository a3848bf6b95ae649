//go:build js && wasm

// Command wasm is the engine in a page.
package main

import (
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/wasm/boundary"
)

func main() { boundary.Serve(engine.New()) }
