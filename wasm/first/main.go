//go:build js && wasm

// Command first is the core engine, which a page loads first. It omits the features
// that most scenarios do not need.
package main

import (
	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/engine/feature"
	"github.com/crdlab/crdlab/wasm/boundary"
)

func main() { boundary.Serve(engine.New(feature.Set{})) }
