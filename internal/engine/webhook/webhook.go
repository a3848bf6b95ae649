// Package webhook responds in this process to the webhook calls of the API
// server's own clients.
package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	apiserverwebhook "k8s.io/apiserver/pkg/util/webhook"
	"k8s.io/client-go/rest"
)

// A Handler returns the response to a review, which is a decoded JSON object. It
// may read the body of the request again.
type Handler func(req *http.Request, review map[string]any) (*http.Response, error)

// RoundTrip implements [http.RoundTripper] for a POST of a review.
func (h Handler) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	review := map[string]any{}
	if err := utiljson.Unmarshal(body, &review); err != nil {
		return nil, fmt.Errorf("decode review: %w", err)
	}
	unread := req.Clone(req.Context())
	unread.Body = io.NopCloser(bytes.NewReader(body))
	return h(unread, review)
}

// Respond returns the response to a request whose body is a review.
func Respond(req *http.Request, review map[string]any) (*http.Response, error) {
	data, err := json.Marshal(review)
	if err != nil {
		return nil, fmt.Errorf("encode review: %w", err)
	}
	return &http.Response{
		StatusCode: http.StatusOK,
		Status:     http.StatusText(http.StatusOK),
		Header:     http.Header{"Content-Type": {"application/json"}},
		Body:       io.NopCloser(bytes.NewReader(data)),
		Request:    req,
	}, nil
}

// Authentication returns a wrapper for the clients of all webhooks. They have the API
// server's configuration for anonymous requests, with the changes that configure makes.
func Authentication(configure func(*rest.Config)) apiserverwebhook.AuthenticationInfoResolverWrapper {
	return func(resolver apiserverwebhook.AuthenticationInfoResolver) apiserverwebhook.AuthenticationInfoResolver {
		anonymous := func() (*rest.Config, error) {
			// For the name of the API server itself, the resolver would add credentials.
			config, err := resolver.ClientConfigFor("")
			if err != nil {
				return nil, err
			}
			configure(config)
			return config, nil
		}
		return &apiserverwebhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc:        func(string) (*rest.Config, error) { return anonymous() },
			ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return anonymous() },
		}
	}
}

// UID returns the same UID for the same parts. It replaces the API server's
// random UID of a request, so that a response written for a request fits again.
func UID(parts ...string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join(parts, "/"))).String())
}
