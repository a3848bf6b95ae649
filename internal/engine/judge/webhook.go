//go:build !js

package judge

import (
	"context"
	"fmt"
	"net"
	"net/url"

	"k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// noServices is the service resolver of a cluster without Services.
type noServices struct{}

func (noServices) ResolveEndpoint(_, name string, _ int32) (*url.URL, error) {
	return nil, fmt.Errorf("service %q not found", name)
}

// noNetwork lets webhooks be configured, but not called.
func noNetwork(webhook.AuthenticationInfoResolver) webhook.AuthenticationInfoResolver {
	config := func() (*rest.Config, error) {
		return &rest.Config{Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			return nil, fmt.Errorf("dial %s: the judge has no network", address)
		}}, nil
	}
	return &webhook.AuthenticationInfoResolverDelegator{
		ClientConfigForFunc:        func(string) (*rest.Config, error) { return config() },
		ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return config() },
	}
}
