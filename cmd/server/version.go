package main

import (
	"runtime"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/httpapi"
)

// version names what this program was built from; the linker sets it.
var version = "unknown"

func builtFrom() httpapi.Version {
	return httpapi.Version{
		Version:    version,
		Go:         runtime.Version(),
		Kubernetes: engine.Library,
	}
}
