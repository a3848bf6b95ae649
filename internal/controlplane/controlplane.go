package controlplane

import (
	"errors"
	"net"
	"path/filepath"
	"strings"

	"github.com/go-logr/logr"
	restclient "k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// A Server is a kube-apiserver with its etcd.
type Server struct {
	// Config configures clients with all rights.
	Config *restclient.Config
	// Kubeconfig is a kubeconfig for such clients.
	Kubeconfig []byte

	environment *envtest.Environment
}

// Start starts the programs in a directory, and returns when the server is ready. The server listens on an
// address with a port that is free. Its data is in a temporary directory.
func Start(directory, address string) (*Server, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	log.SetLogger(logr.Discard())
	environment := &envtest.Environment{BinaryAssetsDirectory: directory}
	server := environment.ControlPlane.GetAPIServer()
	// Without their paths, the environment may name other programs.
	server.Path = filepath.Join(directory, "kube-apiserver")
	environment.ControlPlane.Etcd = &envtest.Etcd{Path: filepath.Join(directory, "etcd")}
	server.SecureServing.Address, server.SecureServing.Port = host, port
	config, err := environment.Start()
	if err != nil {
		return nil, errors.Join(err, environment.Stop())
	}
	config.Host = strings.TrimSuffix(config.Host, "/")
	return &Server{Config: config, Kubeconfig: environment.KubeConfig, environment: environment}, nil
}

// Stop ends the programs and removes their data.
func (s *Server) Stop() error { return s.environment.Stop() }
