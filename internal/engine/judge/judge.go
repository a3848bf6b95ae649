//go:build !js

// Package judge answers requests for CustomResourceDefinitions and custom
// resources with the API server's own request handlers, run in this process
// over a storage in memory. Tests compare the engine's verdicts with it; the
// product never imports it.
package judge

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/klog/v2"
)

// Content types of request bodies.
const (
	JSON       = "application/json"
	YAML       = "application/yaml"
	MergePatch = "application/merge-patch+json"
	JSONPatch  = "application/json-patch+json"
	Apply      = "application/apply-patch+yaml"
)

// The handlers log what they answer with an error; the answer says it already.
func init() { klog.SetLogger(logr.Discard()) }

const acceptTable = "application/json;as=Table;v=v1;g=meta.k8s.io"

// Answer is the API server's answer to one request.
type Answer struct {
	// Code is the HTTP status code.
	Code int
	// Status is set if the answer is a Status, which refusals are.
	Status *metav1.Status
	// Warnings are the texts of the warning headers, in order.
	Warnings []string
	// Object is set if the answer is an object or a list. Its numbers are int64
	// or float64.
	Object *unstructured.Unstructured
	// Table is set if a table was asked for and given.
	Table *metav1.Table
	// Body is an answer that is not JSON, as it is when the path is not served.
	Body string
}

// call is an HTTP request without the parts that are always the same.
type call struct {
	method, path, contentType, accept string
	query                             map[string]string
	body                              []byte
}

// serve sends a call through handler as a user with all rights.
func serve(handler http.Handler, c call) (Answer, error) {
	req := httptest.NewRequest(c.method, c.path, bytes.NewReader(c.body))
	query := req.URL.Query()
	for key, value := range c.query {
		if value != "" {
			query.Set(key, value)
		}
	}
	req.URL.RawQuery = query.Encode()
	req.RequestURI = req.URL.RequestURI()
	req.Header.Set("Accept", JSON)
	if c.accept != "" {
		req.Header.Set("Accept", c.accept)
	}
	if c.body != nil {
		req.Header.Set("Content-Type", c.contentType)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, req)
	return decodeAnswer(recorder)
}

func decodeAnswer(recorder *httptest.ResponseRecorder) (Answer, error) {
	answer := Answer{Code: recorder.Code}
	warnings, errs := utilnet.ParseWarningHeaders(recorder.Result().Header["Warning"])
	if len(errs) > 0 {
		return Answer{}, fmt.Errorf("parsing the warning headers: %v", errs)
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
		return Answer{}, fmt.Errorf("decoding an answer of kind %s: %w", kind.Kind, err)
	}
	return answer, nil
}

// withFilters wraps a handler in those filters of the API server that its
// request handlers rely on.
func withFilters(handler http.Handler) http.Handler {
	superuser := &user.DefaultInfo{Name: "judge", Groups: []string{user.SystemPrivilegedGroup}}
	authenticated := http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		handler.ServeHTTP(w, req.WithContext(request.WithUser(req.Context(), superuser)))
	})
	resolver := &request.RequestInfoFactory{
		APIPrefixes:          sets.NewString("apis", "api"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}
	return filters.WithAuditInit(filters.WithRequestReceivedTimestamp(
		filters.WithRequestInfo(filters.WithWarningRecorder(authenticated), resolver)))
}

// allowAll is an authorizer that grants everything.
type allowAll struct{}

func (allowAll) Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}
