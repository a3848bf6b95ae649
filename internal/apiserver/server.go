// Package apiserver runs the API server for CustomResourceDefinitions: the server of
// k8s.io/apiextensions-apiserver with its controllers and admission plugins, over storage in
// memory. Beside custom resources it serves the kinds of kube-apiserver, with its own code.
package apiserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"go.etcd.io/etcd/client/v3/kubernetes"
	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	extensions "k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/storage/etcd3"
	openapiutil "k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/client-go/dynamic"
	restclient "k8s.io/client-go/rest"
	"k8s.io/component-base/compatibility"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/utils/clock"

	"github.com/crdlab/crdlab/internal/memetcd"
)

// compactInterval is the time after which old revisions are forgotten, as in kube-apiserver.
const compactInterval = 5 * time.Minute

// A Server is an API server that listens.
type Server struct {
	// Config configures clients with all rights.
	Config *restclient.Config
	// own configures the clients of the server itself.
	own    *restclient.Config
	server *genericapiserver.GenericAPIServer
	ready  chan struct{}
}

// Options configures a server.
type Options struct {
	// Serving has the listener. Without a certificate, the server has a self-signed one.
	Serving *genericapiserver.SecureServingInfo
	// Host is the address or the name by which clients reach the listener.
	Host string
	// Release is the release of Kubernetes whose libraries are linked, such as "1.37.2".
	Release string
	// Data has the objects. If it is nil, the server has an empty store in memory.
	Data *kubernetes.Client
	// ClientCA signs the certificates of users. If it is nil, users cannot have certificates.
	ClientCA dynamiccertificates.CAContentProvider
	// Tokens authenticates users by their tokens. It may be nil.
	Tokens authenticator.Token
	// RemoteWebhooks permits webhooks on other machines.
	RemoteWebhooks bool
	// Explain is called for each write of a client, after the server has decided and before the
	// client has the answer. It may be nil.
	Explain func(Write)
	// AllowAll lets each user do everything. Otherwise, roles and their bindings decide.
	AllowAll bool
	// Admission configures the admission plugins, and Run requests and feature gates. If one is
	// nil, it has the defaults.
	Admission *options.AdmissionOptions
	Run       *options.ServerRunOptions
}

// New returns a server that does not serve yet.
func New(o Options) (*Server, error) {
	s := &Server{ready: make(chan struct{})}
	config, err := s.configure(o)
	if err != nil {
		return nil, fmt.Errorf("configure the API server: %w", err)
	}
	if o.Admission == nil {
		o.Admission = newAdmissionOptions()
	}
	if err := s.install(config, o); err != nil {
		return nil, fmt.Errorf("set up the API server: %w", err)
	}
	return s, nil
}

// Ready is closed when the server is ready for all requests, as /readyz says.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// Run serves until ctx ends.
func (s *Server) Run(ctx context.Context) error {
	client, err := restclient.HTTPClientFor(s.own)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.own.Host+"/readyz", nil)
	if err != nil {
		return err
	}
	go func() {
		for ctx.Err() == nil && !succeeds(client, request) {
			time.Sleep(5 * time.Millisecond)
		}
		close(s.ready)
	}()
	return s.server.PrepareRun().RunWithContext(ctx)
}

// succeeds reports whether a request has the answer 200.
func succeeds(client *http.Client, request *http.Request) bool {
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.StatusCode == http.StatusOK
}

// configure returns the configuration of the server, and sets the configuration of its clients.
func (s *Server) configure(o Options) (*genericapiserver.RecommendedConfig, error) {
	config := genericapiserver.NewRecommendedConfig(extensions.Codecs)
	if o.Run == nil {
		o.Run = options.NewServerRunOptions()
	}
	if err := o.Run.Complete(); err != nil {
		return nil, err
	}
	if err := o.Run.ApplyTo(&config.Config); err != nil {
		return nil, err
	}
	certificate, err := newCertificate(o.Host)
	if err != nil {
		return nil, err
	}
	own, err := dynamiccertificates.NewStaticSNICertKeyContent("loopback", certificate.certificate, certificate.key, loopbackName)
	if err != nil {
		return nil, err
	}
	config.SecureServing = o.Serving
	if config.SecureServing.Cert == nil {
		config.SecureServing.Cert = own
	}
	config.SecureServing.SNICerts = append(config.SecureServing.SNICerts, own)
	_, port, err := net.SplitHostPort(o.Serving.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	s.Config = &restclient.Config{
		Host:            "https://" + net.JoinHostPort(o.Host, port),
		BearerToken:     rand.Text(),
		TLSClientConfig: restclient.TLSClientConfig{CAData: certificate.certificate},
		QPS:             -1,
	}
	s.own = restclient.CopyConfig(s.Config)
	s.own.BearerToken = rand.Text()
	s.own.ServerName = loopbackName
	config.LoopbackClientConfig = s.own
	config.ClientConfig = config.LoopbackClientConfig
	if err := config.Authentication.ApplyClientCert(o.ClientCA, config.SecureServing); err != nil {
		return nil, err
	}
	config.EffectiveVersion = release{config.EffectiveVersion, "v" + o.Release}
	config.MergedResourceConfig = extensions.DefaultAPIResourceConfigSource()
	describe(config)
	return config, nil
}

// A release is a version with the name of its release. Without it, the name comes from the linker.
type release struct {
	compatibility.EffectiveVersion
	name string
}

// Info returns what the server answers at /version.
func (r release) Info() *version.Info {
	info := *r.EffectiveVersion.Info()
	info.GitVersion = r.name
	info.GitCommit, info.GitTreeState, info.BuildDate = "", "", ""
	return &info
}

// describe configures the OpenAPI documents.
func describe(config *genericapiserver.RecommendedConfig) {
	definitions := openapiutil.GetOpenAPIDefinitionsWithoutDisabledFeatures(openapi.GetOpenAPIDefinitions)
	names := openapinamer.NewDefinitionNamer(extensions.Scheme, legacyscheme.Scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, names)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, names)
	// The documents about the other kinds take a third of a second, and more memory than all else.
	config.OpenAPIConfig.IgnorePrefixes = pathsOfKinds()
	config.OpenAPIV3Config.IgnorePrefixes = pathsOfKinds()
}

// install adds the storage, the users and their rights, the admission plugins and the kinds.
func (s *Server) install(config *genericapiserver.RecommendedConfig, o Options) error {
	client, err := newClients(config.LoopbackClientConfig)
	if err != nil {
		return err
	}
	config.SharedInformerFactory = newInformerFactory(client)
	tokens, err := newTokens()
	if err != nil {
		return err
	}
	config.Authentication.APIAudiences = audiences
	config.Authentication.Authenticator = authenticate(s.Config.BearerToken, tokens.authenticator(client), o)
	if err := addAuthorization(config, o.AllowAll); err != nil {
		return err
	}
	objects, err := dynamic.NewForConfig(config.LoopbackClientConfig)
	if err != nil {
		return err
	}
	resolver, err := addAdmission(config, o, client, objects)
	if err != nil {
		return err
	}
	if o.Data == nil {
		if o.Data, err = memetcd.New(); err != nil {
			return err
		}
	}
	o.Data.Kubernetes = sizeLimit{o.Data.Kubernetes}
	settles := &settler{stored: o.Data.KV}
	config.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		handler = settles.around(handler)
		if o.Explain != nil {
			handler = observer{o.Explain, objects}.around(handler)
		}
		return genericapiserver.DefaultBuildHandlerChain(handler, c)
	}
	storage := storageOptions{client: o.Data, compactor: etcd3.NewCompactor(o.Data.Client, compactInterval, clock.RealClock{}, nil)}
	config.RESTOptionsGetter = storage.encoded(extensions.Codecs.LegacyCodec(v1beta1.SchemeGroupVersion, apiextensionsv1.SchemeGroupVersion))
	completed := (&extensions.Config{
		GenericConfig: config,
		ExtraConfig: extensions.ExtraConfig{
			CRDRESTOptionsGetter: storage.encoded(unstructured.UnstructuredJSONScheme),
			MasterCount:          1,
			ServiceResolver:      noServices{},
			AuthResolverWrapper:  resolver,
		},
	}).Complete()
	completed.GenericConfig.EnableDiscovery = true // kube-aggregator serves /apis in a cluster.
	server, err := completed.New(genericapiserver.NewEmptyDelegate())
	if err != nil {
		return err
	}
	crds := server.Informers.Apiextensions().V1().CustomResourceDefinitions().Informer()
	if err := crds.SetTransform(establishEarlier); err != nil {
		return err
	}
	settles.seen = crds.GetStore()
	s.server = server.GenericAPIServer
	kinds, err := installKinds(s.server, config, client, tokens, storage)
	if err != nil {
		return err
	}
	_, port, err := config.SecureServing.HostPort()
	if err != nil {
		return err
	}
	return kinds.createInitial(context.Background(), port)
}

// establishEarlier changes a CRD in the cache of the server, so that objects can be created at
// once. During the first two seconds after a CRD is established, the server delays them for
// other servers of a cluster, which do not exist here.
func establishEarlier(object any) (any, error) {
	if crd, ok := object.(*apiextensionsv1.CustomResourceDefinition); ok {
		if established := apihelpers.FindCRDCondition(crd, apiextensionsv1.Established); established != nil {
			established.LastTransitionTime = metav1.NewTime(established.LastTransitionTime.Add(-2 * time.Second))
		}
	}
	return object, nil
}

// noServices resolves no services, because there is no cluster network.
type noServices struct{}

func (noServices) ResolveEndpoint(namespace, name string, _ int32) (*url.URL, error) {
	return nil, fmt.Errorf("the service %s/%s cannot be called: this API server has no cluster network; use a URL", namespace, name)
}
