package main

import (
	"runtime"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/httpapi"
)

// version is the release or commit of this build. The linker sets it.
var version = "unknown"

// buildInfo returns the versions of the program and its libraries.
func buildInfo() httpapi.Build {
	return httpapi.Build{
		Version:    version,
		Go:         runtime.Version(),
		Kubernetes: engine.Library,
	}
}
