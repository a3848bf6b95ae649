package kubeapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// A Response is the decoded response to a [Request]. At most one of Status,
// Object, Table and Body is set, depending on the kind of the response body.
type Response struct {
	// Code is the HTTP status code.
	Code int
	// Warnings lists the messages of the Warning headers, in order.
	Warnings []string
	// Status holds an error, or the result of some successful deletions.
	Status *metav1.Status
	// Object holds an object or a list.
	Object *unstructured.Unstructured
	// Table holds a printed table, if the request accepts one.
	Table *metav1.Table
	// Body holds a response that is not JSON, such as the one to a path that is
	// not served.
	Body string
}

// Decode decodes an HTTP response.
func Decode(code int, header http.Header, body []byte) (Response, error) {
	response := Response{Code: code}
	warnings, errs := utilnet.ParseWarningHeaders(header["Warning"])
	if len(errs) > 0 {
		return response, fmt.Errorf("parse the warning headers: %v", errs)
	}
	for _, w := range warnings {
		response.Warnings = append(response.Warnings, w.Text)
	}
	var kind metav1.TypeMeta
	if json.Unmarshal(body, &kind) != nil {
		response.Body = strings.TrimSpace(string(body))
		return response, nil
	}
	if err := response.decodeBody(kind, body); err != nil {
		return response, fmt.Errorf("decode a response of kind %s: %w", kind.Kind, err)
	}
	return response, nil
}

func (r *Response) decodeBody(kind metav1.TypeMeta, body []byte) error {
	switch {
	case kind.Kind == "Status" && kind.APIVersion == "v1":
		r.Status = &metav1.Status{}
		return json.Unmarshal(body, r.Status)
	case kind.Kind == "Table" && kind.APIVersion == "meta.k8s.io/v1":
		r.Table = &metav1.Table{}
		return json.Unmarshal(body, r.Table)
	}
	r.Object = &unstructured.Unstructured{}
	return r.Object.UnmarshalJSON(body)
}
