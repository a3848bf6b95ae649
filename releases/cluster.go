package main

import (
	"runtime/debug"
	"strings"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver"
)

// A cluster is the reference server of a release as the cluster of an
// [apiclient.Client].
type cluster struct{ *refserver.Server }

var _ apiclient.Cluster = (*cluster)(nil)

func newCluster() (*cluster, error) {
	server, err := refserver.New()
	return &cluster{server}, err
}

// HasControllers returns false.
func (*cluster) HasControllers() bool { return false }

// Reset implements [apiclient.Cluster].
func (c *cluster) Reset() error {
	c.Server.Reset()
	return nil
}

// ClearObjects implements [apiclient.Cluster].
func (c *cluster) ClearObjects() error {
	c.Server.ClearObjects()
	return nil
}

// SetAdmission returns an error for a scenario with admission configuration.
func (c *cluster) SetAdmission(s playground.Scenario) error {
	if strings.TrimSpace(s.Admission) == "" {
		return nil
	}
	return &apiclient.UnsupportedError{Reason: "the program of an older release runs no admission plugins"}
}

// library returns the release of the Kubernetes libraries in this program, such
// as "1.31.14". The libraries of Kubernetes 1.31 have the version 0.31.
func library() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range info.Deps {
		if module.Path == "k8s.io/apiextensions-apiserver" {
			return strings.Replace(module.Version, "v0.", "1.", 1)
		}
	}
	return ""
}
