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

// A Handler returns the response to a review, both as decoded JSON objects. It
// may read the body of the request again.
type Handler func(req *http.Request, review map[string]any) (map[string]any, error)

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
	response, err := h(unread, review)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(response)
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

// Authentication returns a wrapper that gives every client of a webhook the
// same configuration, whatever its server.
func Authentication(config *rest.Config) apiserverwebhook.AuthenticationInfoResolverWrapper {
	return func(apiserverwebhook.AuthenticationInfoResolver) apiserverwebhook.AuthenticationInfoResolver {
		return &apiserverwebhook.AuthenticationInfoResolverDelegator{
			ClientConfigForFunc:        func(string) (*rest.Config, error) { return config, nil },
			ClientConfigForServiceFunc: func(string, string, int) (*rest.Config, error) { return config, nil },
		}
	}
}

// UID returns the same UID for the same parts. It replaces the API server's
// random UID of a request, so that a response written for a request fits again.
func UID(parts ...string) types.UID {
	return types.UID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(strings.Join(parts, "/"))).String())
}
