//go:build !js || program

package refserver

import (
	"bytes"
	"cmp"
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	serverfilters "k8s.io/apiserver/pkg/server/filters"

	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// serve passes a request to the handler and decodes the response.
func serve(handler http.Handler, r kubeapi.Request) (kubeapi.Response, error) {
	req, err := newHTTPRequest(r)
	if err != nil {
		return kubeapi.Response{}, err
	}
	response := newResponseRecorder()
	serveHTTP(handler, response, req)
	return kubeapi.Decode(response.statusCode(), response.header, response.body.Bytes())
}

// newHTTPRequest returns r in the form in which net/http's server passes
// requests to handlers.
func newHTTPRequest(r kubeapi.Request) (*http.Request, error) {
	req, err := http.NewRequest(r.Method, "http://refserver"+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.URL.Scheme, req.URL.Host = "", ""
	req.URL.RawQuery = r.Query.Encode()
	req.RequestURI = req.URL.RequestURI()
	req.RemoteAddr = "192.0.2.1:1234" // documentation address, RFC 5737
	req.Header.Set("Accept", cmp.Or(r.Accept, kubeapi.TypeJSON))
	if r.Body != nil {
		req.Header.Set("Content-Type", cmp.Or(r.ContentType, kubeapi.TypeJSON))
	}
	return req, nil
}

// serveHTTP recovers from panics, like net/http's server. The filter
// WithPanicRecovery has already written a response at that point.
func serveHTTP(handler http.Handler, w http.ResponseWriter, req *http.Request) {
	defer func() { _ = recover() }()
	handler.ServeHTTP(w, req)
}

// superuser returns a user with all rights.
func superuser() user.Info {
	return &user.DefaultInfo{Name: "refserver", Groups: []string{user.SystemPrivilegedGroup}}
}

// withFilters wraps a handler in the API server's filters on which its request
// handlers rely. The function requester returns the user of a request.
func withFilters(handler http.Handler, requester func() user.Info) http.Handler {
	authenticated := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		handler.ServeHTTP(w, req.WithContext(request.WithUser(req.Context(), requester())))
	})
	resolver := &request.RequestInfoFactory{
		APIPrefixes:          sets.NewString("apis", "api"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	recovering := serverfilters.WithPanicRecovery(filters.WithWarningRecorder(authenticated), resolver)
	return filters.WithAuditInit(filters.WithRequestReceivedTimestamp(filters.WithRequestInfo(recovering, resolver)))
}

// allowAll is an authorizer that grants every request.
type allowAll struct{}

func (allowAll) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
