//go:build !js || program

package refserver

import (
	"fmt"
	"net/http"
	"net/url"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// A webhookTransport serves all calls of webhooks in this process.
type webhookTransport struct {
	handler http.Handler // nil lets calls fail
}

// ResolveEndpoint implements [webhook.ServiceResolver] for a cluster in which
// every Service leads to the handler.
func (t *webhookTransport) ResolveEndpoint(_, name string, _ int32) (*url.URL, error) {
	if t.handler == nil {
		return nil, fmt.Errorf("service %q not found", name)
	}
	return &url.URL{Scheme: "https", Host: name}, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *webhookTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.handler == nil {
		return nil, fmt.Errorf("dial %s: the reference server has no network", req.URL.Host)
	}
	recorder := newResponseRecorder()
	t.handler.ServeHTTP(recorder, req)
	return recorder.response(req), nil
}

// authentication directs all webhook clients to t. It has the signature of
// [webhook.AuthenticationInfoResolverWrapper].
func (t *webhookTransport) authentication(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	newConfig := func() *rest.Config {
		return &rest.Config{WrapTransport: func(http.RoundTripper) http.RoundTripper { return t }}
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc:        func(string) (*rest.Config, error) { return newConfig(), nil },
		ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return newConfig(), nil },
	}
}
