package crdtest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// A Server is an API server for kubectl, controllers and other clients.
type Server struct {
	// Kubeconfig is a kubeconfig for a user who may do everything.
	Kubeconfig []byte
	// Path is the path of a file with the kubeconfig, which only its owner can read.
	Path string
}

// StartServer starts the server of "crdlab apiserver" with the CRDs and other objects at the
// paths, and ends it with the test. The test fails immediately if the server refuses one of them.
//
// Each server has its own objects, in memory, and listens on a free port of the loopback
// interface. The kubeconfig becomes the configuration of a client with
//
//	config, err := clientcmd.RESTConfigFromKubeConfig(server.Kubeconfig)
func StartServer(t testing.TB, paths ...string) *Server {
	t.Helper()
	program, err := find()
	if err != nil {
		t.Fatal(err)
	}
	server := &Server{Path: filepath.Join(t.TempDir(), "kubeconfig")}
	// The command of the server ends with its standard input, so the server also ends with a
	// test binary that is killed.
	arguments := slices.Concat([]string{"apiserver", "--kubeconfig", server.Path}, paths, []string{"--", program, "crdtest"})
	p, _, err := launch(program, arguments...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = p.in.Close()
		_ = p.command.Wait()
	})
	if server.Kubeconfig, err = os.ReadFile(server.Path); err != nil {
		t.Fatal(err)
	}
	return server
}
