package main

import (
	"runtime"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/httpapi"
)

// version names what this program was built from; the linker sets it.
var version = "unknown"

func builtFrom() httpapi.Build {
	return httpapi.Build{
		Version:    version,
		Go:         runtime.Version(),
		Kubernetes: engine.Library,
	}
}
