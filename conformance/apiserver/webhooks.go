package apiserver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// webhooks serves all webhook calls of the API server over TLS, unless direct is set. It
// redirects connections to any URL or Service to its listener, and issues certificates for
// the requested server names.
type webhooks struct {
	// direct lets new clients connect to the webhooks of CRDs.
	direct    atomic.Bool
	address   string
	authority *x509.Certificate
	key       *ecdsa.PrivateKey
	handler   atomic.Pointer[http.Handler]
}

// startWebhooks starts the listener, which runs until the process ends.
func startWebhooks() (*webhooks, error) {
	w := &webhooks{}
	var err error
	if w.key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "webhooks"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	certificate, err := w.sign(template, template)
	if err != nil {
		return nil, fmt.Errorf("create the certificate authority of webhooks: %w", err)
	}
	w.authority = certificate.Leaf
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: w.certificate})
	if err != nil {
		return nil, err
	}
	w.address = listener.Addr().String()
	go func() { _ = http.Serve(listener, http.HandlerFunc(w.serve)) }()
	return w, nil
}

// sign creates a certificate from a template. All certificates share one key.
func (w *webhooks) sign(template, parent *x509.Certificate) (*tls.Certificate, error) {
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(24*time.Hour)
	data, err := x509.CreateCertificate(rand.Reader, template, parent, &w.key.PublicKey, w.key)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(data)
	return &tls.Certificate{Certificate: [][]byte{data}, PrivateKey: w.key, Leaf: leaf}, err
}

// certificate issues a certificate for the server name that a client requests.
func (w *webhooks) certificate(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "webhook"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	if hello.ServerName != "" {
		template.DNSNames = []string{hello.ServerName}
	} else {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	}
	return w.sign(template, w.authority)
}

// serve passes a call to the current handler.
func (w *webhooks) serve(response http.ResponseWriter, request *http.Request) {
	if handler := w.handler.Load(); handler != nil {
		(*handler).ServeHTTP(response, request)
		return
	}
	http.Error(response, errNoHandler.Error(), http.StatusServiceUnavailable)
}

var errNoHandler = errors.New("no handler for webhooks")

// ResolveEndpoint implements [webhook.ServiceResolver].
func (w *webhooks) ResolveEndpoint(_, name string, _ int32) (*url.URL, error) {
	if w.handler.Load() == nil {
		return nil, fmt.Errorf("service %q not found", name)
	}
	return &url.URL{Scheme: "https", Host: w.address}, nil
}

// authentication directs all webhook clients to w, whose certificates they trust. The
// remaining configuration is the API server's, which fails for an invalid caBundle.
func (w *webhooks) authentication(resolver webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	redirect := func(config *rest.Config, err error) (*rest.Config, error) {
		if err == nil && !w.direct.Load() {
			config.Dial = w.dial
			config.Wrap(w.trust)
		}
		return config, err
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc: func(hostPort string) (*rest.Config, error) {
			return redirect(resolver.ClientConfigFor(hostPort))
		},
		ClientConfigForServiceFunc: func(name, namespace string, port int) (*rest.Config, error) {
			return redirect(resolver.ClientConfigForService(name, namespace, port))
		},
	}
}

// trust returns a copy of a client's transport that trusts w instead of the webhook's caBundle.
func (w *webhooks) trust(client http.RoundTripper) http.RoundTripper {
	for {
		wrapper, ok := client.(utilnet.RoundTripperWrapper)
		if !ok {
			break
		}
		client = wrapper.WrappedRoundTripper()
	}
	transport := client.(*http.Transport).Clone()
	if transport.TLSClientConfig == nil {
		transport.TLSClientConfig = &tls.Config{}
	}
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(w.authority)
	return transport
}

func (w *webhooks) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	if w.handler.Load() == nil {
		return nil, errNoHandler
	}
	return (&net.Dialer{}).DialContext(ctx, network, w.address)
}

// SetConversionWebhook implements [apiclient.Cluster].
func (c *Cluster) SetConversionWebhook(handler http.Handler) {
	if handler == nil {
		c.webhooks.handler.Store(nil)
		return
	}
	c.webhooks.handler.Store(&handler)
}

// CallWebhooks lets the API server call the webhooks that CRDs name from now on.
func (c *Cluster) CallWebhooks() { c.webhooks.direct.Store(true) }
