//go:build !js

// Command releases judges scenarios with the Kubernetes libraries of an older
// release. The module files beside it select the release: 1.31.mod builds the
// program for Kubernetes 1.31. Each program is a child of a [procpool.Pool]; its
// requests are [verdict.Request] values, its replies [verdict.Judgment] values.
// As WebAssembly, it exports a function to JavaScript instead.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/procpool"
)

func main() {
	// The handlers log each response with an error.
	klog.SetLogger(logr.Discard())
	if err := procpool.Serve(os.Stdin, os.Stdout, false, func(procpool.Call) procpool.Render { return render }); err != nil {
		fmt.Fprintln(os.Stderr, "releases:", err)
		os.Exit(1)
	}
}

// render returns the judgment on a request as JSON.
func render(_ context.Context, r playground.Request) ([]byte, error) {
	if r.Task != playground.TaskJudge {
		return nil, fmt.Errorf("unknown task %d", r.Task)
	}
	return reply(r.Body)
}
