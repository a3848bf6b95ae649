package server

import (
	"runtime"

	"github.com/crdlab/crdlab/internal/engine"
	"github.com/crdlab/crdlab/internal/httpapi"
)

// Build returns the versions of the program and its libraries.
func Build(version string) httpapi.Build {
	return httpapi.Build{
		Version:    version,
		Go:         runtime.Version(),
		Kubernetes: engine.Library,
	}
}
