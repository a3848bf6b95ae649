//go:build !js

package judge

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// webhookTransport ends all calls of webhooks in this process.
type webhookTransport struct {
	handler http.Handler // that answers; nil lets calls fail
}

// ResolveEndpoint implements [webhook.ServiceResolver] for a cluster whose
// Services are all the webhook.
func (t *webhookTransport) ResolveEndpoint(_, name string, _ int32) (*url.URL, error) {
	if t.handler == nil {
		return nil, fmt.Errorf("service %q not found", name)
	}
	return &url.URL{Scheme: "https", Host: name}, nil
}

// RoundTrip implements [http.RoundTripper].
func (t *webhookTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.handler == nil {
		return nil, fmt.Errorf("dial %s: the judge has no network", req.URL.Host)
	}
	recorder := httptest.NewRecorder()
	t.handler.ServeHTTP(recorder, req)
	return recorder.Result(), nil
}

// authentication makes all clients of webhooks send through t.
func (t *webhookTransport) authentication(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	config := func() (*rest.Config, error) {
		return &rest.Config{WrapTransport: func(http.RoundTripper) http.RoundTripper { return t }}, nil
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc:        func(string) (*rest.Config, error) { return config() },
		ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return config() },
	}
}
