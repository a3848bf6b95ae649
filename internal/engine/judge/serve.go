//go:build !js

package judge

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	serverfilters "k8s.io/apiserver/pkg/server/filters"

	"github.com/crdlab/crdlab/internal/engine/trial"
)

const typeJSON = "application/json"

// serve sends a request through handler.
func serve(handler http.Handler, r trial.Request) (trial.Answer, error) {
	req := httptest.NewRequest(r.Method, r.Path, bytes.NewReader(r.Body))
	req.URL.RawQuery = r.Query.Encode()
	req.RequestURI = req.URL.RequestURI()
	req.Header.Set("Accept", cmp.Or(r.Accept, typeJSON))
	if r.Body != nil {
		req.Header.Set("Content-Type", cmp.Or(r.ContentType, typeJSON))
	}
	recorder := httptest.NewRecorder()
	serveHTTP(handler, recorder, req)
	return decodeAnswer(recorder)
}

// serveHTTP survives a panic of the handler, like net/http's server; the
// filters have answered it by then.
func serveHTTP(handler http.Handler, w http.ResponseWriter, req *http.Request) {
	defer func() { _ = recover() }()
	handler.ServeHTTP(w, req)
}

func decodeAnswer(recorder *httptest.ResponseRecorder) (trial.Answer, error) {
	answer := trial.Answer{Code: recorder.Code}
	warnings, errs := utilnet.ParseWarningHeaders(recorder.Result().Header["Warning"])
	if len(errs) > 0 {
		return answer, fmt.Errorf("parse the warning headers: %v", errs)
	}
	for _, w := range warnings {
		answer.Warnings = append(answer.Warnings, w.Text)
	}
	body := recorder.Body.Bytes()
	var kind metav1.TypeMeta
	if json.Unmarshal(body, &kind) != nil {
		answer.Body = string(body)
		return answer, nil
	}
	var err error
	switch {
	case kind.Kind == "Status" && kind.APIVersion == "v1":
		answer.Status = &metav1.Status{}
		err = json.Unmarshal(body, answer.Status)
	case kind.Kind == "Table" && kind.APIVersion == "meta.k8s.io/v1":
		answer.Table = &metav1.Table{}
		err = json.Unmarshal(body, answer.Table)
	default:
		answer.Object = &unstructured.Unstructured{}
		err = answer.Object.UnmarshalJSON(body)
	}
	if err != nil {
		return answer, fmt.Errorf("decode an answer of kind %s: %w", kind.Kind, err)
	}
	return answer, nil
}

// superuser is a user with all rights.
func superuser() user.Info {
	return &user.DefaultInfo{Name: "judge", Groups: []string{user.SystemPrivilegedGroup}}
}

// withFilters wraps a handler in those filters of the API server that its
// request handlers rely on. Requests are those of requester.
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

// allowAll is an authorizer that grants everything.
type allowAll struct{}

func (allowAll) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
