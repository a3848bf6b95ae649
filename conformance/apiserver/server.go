// Package apiserver runs etcd and the part of kube-apiserver that serves
// CustomResourceDefinitions and custom resources in this process. Both listen on
// the loopback interface only.
package apiserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	listers "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	registrygeneric "k8s.io/apiserver/pkg/registry/generic"
	genericapiserver "k8s.io/apiserver/pkg/server"
	openapiutil "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// startTime limits the time until etcd or the API server is ready.
const startTime = time.Minute

// A Server is a running API server.
type Server struct {
	http   *http.Client
	url    string
	crds   listers.CustomResourceDefinitionLister // shared with the handlers
	etcd   *clientv3.Client
	prefix string // of all keys in etcd
	dir    string

	webhooks *webhooks
}

// Start starts a server and waits until it is ready. Stop removes its files.
func Start() (s *Server, err error) {
	s = &Server{}
	defer func() {
		if err != nil {
			s.Stop()
		}
	}()
	if s.dir, err = os.MkdirTemp("", "crdlab-conformance-"); err != nil {
		return nil, fmt.Errorf("create the directory of etcd: %w", err)
	}
	member, client, err := startEtcd(s.dir)
	if err != nil {
		return nil, err
	}
	s.etcd = client
	if err := s.serve(member); err != nil {
		return nil, fmt.Errorf("start the API server: %w", err)
	}
	return s, nil
}

// Stop removes the server's files. The servers run until the process ends, since a
// graceful shutdown is slow.
func (s *Server) Stop() { _ = os.RemoveAll(s.dir) }

func (s *Server) serve(etcd *embed.Etcd) error {
	options := options.NewCustomResourceDefinitionsServerOptions(io.Discard, io.Discard)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	secure := options.RecommendedOptions.SecureServing
	secure.Listener = listener
	secure.ServerCert.CertDirectory = "" // keeps the certificate in memory
	if err := secure.MaybeDefaultWithSelfSignedCerts("localhost", nil, []net.IP{net.IPv4(127, 0, 0, 1)}); err != nil {
		return err
	}
	storage := options.RecommendedOptions.Etcd
	storage.StorageConfig.Transport.ServerList = []string{"http://" + etcd.Clients[0].Addr().String()}
	storage.EnableWatchCache = false           // so that reads see direct writes to etcd
	storage.StorageConfig.Prefix = "/registry" // as in kube-apiserver; messages contain it
	s.prefix = storage.StorageConfig.Prefix
	if err := options.Complete(); err != nil {
		return err
	}
	if s.webhooks, err = startWebhooks(); err != nil {
		return err
	}
	config, err := newConfig(options, s.webhooks)
	if err != nil {
		return err
	}
	server, err := config.New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	s.crds = server.Informers.Apiextensions().V1().CustomResourceDefinitions().Lister()
	return s.run(server.GenericAPIServer)
}

func newConfig(options *options.CustomResourceDefinitionsServerOptions, webhooks *webhooks) (apiserver.CompletedConfig, error) {
	generic := genericapiserver.NewRecommendedConfig(apiserver.Codecs)
	if err := options.ServerRunOptions.ApplyTo(&generic.Config); err != nil {
		return apiserver.CompletedConfig{}, err
	}
	if err := options.RecommendedOptions.Etcd.ApplyTo(&generic.Config); err != nil {
		return apiserver.CompletedConfig{}, err
	}
	if err := options.RecommendedOptions.SecureServing.ApplyTo(&generic.SecureServing, &generic.LoopbackClientConfig); err != nil {
		return apiserver.CompletedConfig{}, err
	}
	if err := options.APIEnablement.ApplyTo(&generic.Config, apiserver.DefaultAPIResourceConfigSource(), apiserver.Scheme); err != nil {
		return apiserver.CompletedConfig{}, err
	}
	// Only the server's own client, which holds the loopback token, has rights;
	// no admission plugin runs, so namespaces need not exist.
	generic.Authentication.Authenticator = union.New()
	generic.Authorization.Authorizer = authorizerfactory.NewPrivilegedGroups(user.SystemPrivilegedGroup)
	generic.AdmissionControl = admission.NewChainHandler()

	definitions := openapiutil.GetOpenAPIDefinitionsWithoutDisabledFeatures(openapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(apiserver.Scheme, scheme.Scheme)
	generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)

	config := apiserver.Config{
		GenericConfig: generic,
		ExtraConfig: apiserver.ExtraConfig{
			CRDRESTOptionsGetter: optionsGetter(options, generic),
			MasterCount:          1,
			ServiceResolver:      webhooks,
			AuthResolverWrapper:  webhooks.authentication,
		},
	}
	return config.Complete(), nil
}

func optionsGetter(o *options.CustomResourceDefinitionsServerOptions, generic *genericapiserver.RecommendedConfig) registrygeneric.RESTOptionsGetter {
	return options.NewCRDRESTOptionsGetter(*o.RecommendedOptions.Etcd, generic.ResourceTransformers, generic.StorageObjectCountTracker)
}

// run starts the server and waits until it is ready.
func (s *Server) run(server *genericapiserver.GenericAPIServer) (err error) {
	if s.http, err = rest.HTTPClientFor(server.LoopbackClientConfig); err != nil {
		return err
	}
	s.url = server.LoopbackClientConfig.Host
	ended := make(chan error, 1)
	go func() { ended <- server.PrepareRun().RunWithContext(context.Background()) }()
	for deadline := time.Now().Add(startTime); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		select {
		case err := <-ended:
			return fmt.Errorf("the server ended: %w", err)
		default:
		}
		response, err := s.http.Get(s.url + "/readyz")
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return nil
		}
	}
	return fmt.Errorf("not ready after %v", startTime)
}
