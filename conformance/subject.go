package main

import (
	"context"

	"github.com/crdlab/crdlab/internal/playground"
)

// subject is a build of crdlab whose reports are compared with the verdicts of
// an API server.
type subject struct {
	name     string
	evaluate func(context.Context, playground.Scenario) (playground.Report, error)
}
