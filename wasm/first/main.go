//go:build js && wasm

// Command first is the engine that a page loads first: with what most
// scenarios need, and no more.
package main

import (
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/wasm/boundary"
)

func main() { boundary.Serve(engine.New(feature.Set{})) }
