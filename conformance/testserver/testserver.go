// Package testserver replaces the package of k8s.io/apiserver with this name, so that the tests
// of the API server's storage run on package memetcd. See conformance-storage in
// tools/conformance.mk.
package testserver

import (
	"path/filepath"
	"testing"

	"go.etcd.io/etcd/client/v3/kubernetes"
	"go.etcd.io/etcd/server/v3/embed"
	storagetesting "k8s.io/apiserver/pkg/storage/testing"

	"github.com/crdlab/crdlab/internal/memetcd"
)

// NewTestConfig returns a configuration that RunEtcd ignores.
func NewTestConfig(testing.TB) *embed.Config { return embed.NewConfig() }

// RunEtcd returns the client of an empty store with a file, which counts requests. The store lives until the test ends.
func RunEtcd(t testing.TB, _ *embed.Config) *kubernetes.Client {
	t.Helper()
	client, err := memetcd.Open(filepath.Join(t.TempDir(), "objects"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	recorder := storagetesting.NewKubernetesRecorder(client.Kubernetes)
	client.KV = storagetesting.NewKVRecorder(client.KV, recorder)
	client.Kubernetes = recorder
	return client
}
