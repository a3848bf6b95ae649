// Package trial puts scenarios before an API server.
package trial

import (
	"net/http"
	"net/url"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
)

// Cluster is an API server and its storage. It serves one
// CustomResourceDefinition at most.
type Cluster interface {
	// Clear removes the CRD and its objects.
	Clear() error
	// PutCRD stores the first CRD as it is, valid or not, without asking the
	// server, and returns its resourceVersion when the server knows it and its
	// controllers have accepted its names.
	PutCRD(crd *apiextensionsv1.CustomResourceDefinition) (resourceVersion string, err error)
	// Settle waits until the server serves the CRD that it answered to the
	// last request, and returns what the controllers made of it.
	Settle(answered *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error)

	// ClearObjects removes all objects of the CRD.
	ClearObjects() error
	// Put stores an object as it is, valid or not.
	Put(object *unstructured.Unstructured) error
	// Stored is an object as persisted; nil if there is none.
	Stored(namespace, name string) (*unstructured.Unstructured, error)

	// AnswerWebhooks sets what answers the calls of conversion webhooks,
	// wherever a CRD says that they are; nil lets them fail.
	AnswerWebhooks(handler http.Handler)

	// Admit has the plugins that s declares admit the following requests, which
	// are those of its user. It returns an [UnaskedError] if it cannot.
	Admit(s playground.Scenario) error
	// Do sends a request.
	Do(request Request) (Answer, error)
	// HasControllers says whether controllers set conditions on CRDs.
	HasControllers() bool
}

// Request is an HTTP request of a user with all rights.
type Request struct {
	Method, Path string
	Query        url.Values
	// ContentType is that of Body; Accept is JSON if it is empty.
	ContentType, Accept string
	Body                []byte
}

// Answer is the response to a [Request].
type Answer struct {
	// Code is the HTTP status code.
	Code int
	// Status is set if the answer is a Status, which refusals are.
	Status *metav1.Status
	// Warnings are the texts of the warning headers, in order.
	Warnings []string
	// Object is set if the answer is an object or a list.
	Object *unstructured.Unstructured
	// Table is set if a table was asked for and given.
	Table *metav1.Table
	// Body is an answer that is not JSON, as it is when the path is not served.
	Body string
}
