//go:build js && wasm

// Command whole is the full engine with all features. A page loads it for scenarios
// that need more than the core engine.
package main

import (
	"github.com/crdlab/crdlab/internal/engine/whole"
	"github.com/crdlab/crdlab/wasm/boundary"
)

func main() { boundary.Serve(whole.New()) }
