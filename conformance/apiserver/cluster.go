package apiserver

import (
	"strings"

	"github.com/crdlab/crdlab/internal/apiclient"
	"github.com/crdlab/crdlab/internal/enginetest/livecluster"
	"github.com/crdlab/crdlab/internal/playground"
)

// A Cluster is the [apiclient.Cluster] of a server.
type Cluster struct {
	livecluster.Cluster
	webhooks *webhooks
}

var _ apiclient.Cluster = &Cluster{}

// Cluster returns the cluster of a server without CRDs.
func (s *Server) Cluster() *Cluster {
	return &Cluster{livecluster.Cluster{HTTP: s.http, URL: s.url, CRD: s.crds.Get, Etcd: s.etcd, Prefix: s.prefix}, s.webhooks}
}

// SetAdmission implements [apiclient.Cluster].
func (*Cluster) SetAdmission(s playground.Scenario) error {
	if strings.TrimSpace(s.Admission) != "" {
		return &apiclient.UnsupportedError{Reason: "the cluster has no admission plugins"}
	}
	return nil
}
