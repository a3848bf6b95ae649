//go:build js && wasm

// Command whole is the engine with all its parts, for the scenarios that the
// first one cannot answer.
package main

import (
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/wasm/boundary"
)

func main() { boundary.Serve(whole.New()) }
