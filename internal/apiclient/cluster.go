package apiclient

import (
	"net/http"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// A Cluster is an API server and its storage. It serves the objects of one
// CustomResourceDefinition at most.
type Cluster interface {
	// Reset removes the CRD and its objects.
	Reset() error
	// StoreCRD stores the CRD as it is, valid or not, without a request to the
	// server. It returns the resourceVersion once the server knows the CRD and
	// its controllers have accepted the names.
	StoreCRD(crd *apiextensionsv1.CustomResourceDefinition) (resourceVersion string, err error)
	// ServeCRD waits until the server serves the CRD of the last response, and
	// returns the CRD as the controllers have updated it.
	ServeCRD(object *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error)

	// ClearObjects removes all objects of the CRD.
	ClearObjects() error
	// StoreObject stores an object as it is, valid or not.
	StoreObject(object *unstructured.Unstructured) error
	// StoredObject returns an object as it is persisted, or nil if it does not
	// exist.
	StoredObject(namespace, name string) (*unstructured.Unstructured, error)

	// SetConversionWebhook sets the handler for the calls of all conversion
	// webhooks, whatever address the CRD has. With nil, the calls fail.
	SetConversionWebhook(handler http.Handler)
	// SetAdmission lets the admission plugins that s declares admit the
	// following requests, in the name of its user. It returns an
	// [UnsupportedError] if the cluster cannot run them.
	SetAdmission(s playground.Scenario) error
	// Do sends a request.
	Do(request kubeapi.Request) (kubeapi.Response, error)
	// HasControllers reports whether controllers set conditions on CRDs.
	HasControllers() bool
}
