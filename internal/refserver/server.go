//go:build !js || program

// Package refserver is a reference server: the API server's own request
// handlers for CustomResourceDefinitions and custom resources, over storage in
// memory. It depends on the Kubernetes libraries only, so that it can be
// compiled against the libraries of other releases. The code that differs between
// releases is in storage.go and policies.go.
//
// A client creates a CRD, serves its objects, and creates an object:
//
//	server, err := refserver.New()
//	response, err := server.Do(kubeapi.CreateCRD(document))
//	crd, err := server.ServeCRD(response.Object)
//	response, err = server.Do(resource.Create("default", document))
//
// Package kubeapi has a constructor for each kind of request. The response
// holds the status, the message, the warnings, and the object or the table.
// [Server.StoredObject] returns the persisted object.
//
// Unlike a real API server, a Server
//   - runs no controllers: it treats the names of a CRD as accepted and the CRD
//     as established, and sets no conditions;
//   - grants every request, see [Server.SetAdmission] for the user;
//   - serves the objects of one CRD at a time, and no watches;
//   - has no limit for the size of stored objects, as etcd has;
//   - reaches no network: the calls of conversion webhooks end in a handler.
package refserver

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/crdlab/crdlab/internal/refserver/kubeapi"
)

// A Server serves CustomResourceDefinitions and the objects of one of them. It
// serves one request at a time: its methods must not be called concurrently.
type Server struct {
	crds, objects *memory
	crdHandler    http.Handler

	// crd is the CRD whose objects objectHandler serves; nil before ServeCRD.
	crd           *apiextensionsv1.CustomResourceDefinition
	objectHandler http.Handler
	webhook       webhookTransport
	// admission holds the plugins that admit the requests of requester;
	// stopAdmission ends them.
	admission     admissionSwitch
	requester     user.Info
	stopAdmission func()
}

// New returns a server without CRDs.
func New() (*Server, error) {
	s := &Server{
		crds: newMemory(), objects: newMemory(), objectHandler: http.HandlerFunc(notFound),
		requester: superuser(), stopAdmission: func() {},
	}
	var err error
	if s.crdHandler, err = newCRDHandler(s.crds); err != nil {
		return nil, fmt.Errorf("set up the CRD handler: %w", err)
	}
	return s, nil
}

// Reset removes all CRDs and objects.
func (s *Server) Reset() {
	s.crds.clear()
	s.objects.clear()
	s.crd, s.objectHandler = nil, http.HandlerFunc(notFound)
}

// StoreCRD stores a CRD as it is, valid or not, and returns its
// resourceVersion. It does not serve the objects of the CRD.
func (s *Server) StoreCRD(crd *apiextensionsv1.CustomResourceDefinition) (resourceVersion string, err error) {
	crd = established(crd)
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	setSystemMetadata(crd)
	data, err := utiljson.Marshal(crd)
	if err != nil {
		return "", err
	}
	return strconv.FormatUint(s.crds.put(crdKeys+crd.Name, data).revision, 10), nil
}

// ServeCRD serves the objects of the CRD in a response of the server, in place
// of the previous CRD, and returns the CRD. Stored objects remain.
func (s *Server) ServeCRD(object *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, crd); err != nil {
		return nil, fmt.Errorf("convert the CRD: %w", err)
	}
	handler, err := s.newObjectHandler(crd)
	if err != nil {
		return nil, fmt.Errorf("set up the handler of %s: %w", crd.Name, err)
	}
	s.crd, s.objectHandler = crd, handler
	return crd, nil
}

// ClearObjects removes all objects, but no CRDs.
func (s *Server) ClearObjects() { s.objects.clear() }

// StoreObject stores an object of the served CRD as it is, valid or not.
func (s *Server) StoreObject(object *unstructured.Unstructured) error {
	object = object.DeepCopy()
	setSystemMetadata(object)
	data, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	s.objects.put(s.objectKey(object.GetNamespace(), object.GetName()), data)
	return nil
}

// StoredObject returns an object of the served CRD as it is persisted, or nil
// if it does not exist.
func (s *Server) StoredObject(namespace, name string) (*unstructured.Unstructured, error) {
	stored, ok := s.objects.get(s.objectKey(namespace, name))
	if !ok {
		return nil, nil
	}
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON(stored.data)
}

func (s *Server) objectKey(namespace, name string) string {
	key := resourcePrefix(s.crd.Spec.Group, s.crd.Spec.Names.Plural)
	if s.crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		key += "/" + namespace
	}
	return key + "/" + name
}

// setSystemMetadata sets the metadata that an API server sets on each object
// that it creates. The storage derives the resourceVersion from its revision.
func setSystemMetadata(object metav1.Object) {
	if object.GetUID() == "" {
		object.SetUID(types.UID(uuid.NewString()))
	}
	if created := object.GetCreationTimestamp(); created.IsZero() {
		object.SetCreationTimestamp(metav1.Now())
	}
	object.SetResourceVersion("")
}

// SetConversionWebhook sets the handler for the calls of all conversion
// webhooks. With nil, the calls fail.
func (s *Server) SetConversionWebhook(handler http.Handler) { s.webhook.handler = handler }

// Do serves a request. An error means that the response cannot be decoded; a
// request that the API server refuses has a response with a status.
func (s *Server) Do(request kubeapi.Request) (kubeapi.Response, error) {
	if strings.HasPrefix(request.Path, kubeapi.CRDPath) {
		return serve(s.crdHandler, request)
	}
	return serve(s.objectHandler, request)
}
