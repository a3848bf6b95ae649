//go:build !js

package judge

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver"
	"k8s.io/apiextensions-apiserver/pkg/client/informers/externalversions"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/admission"
)

// maxBody is the API server's limit of a request's body, in bytes.
const maxBody = 3 * 1024 * 1024

// Server serves the custom resources of one CustomResourceDefinition, from an
// empty storage at first.
type Server struct {
	crd     *apiextensionsv1.CustomResourceDefinition
	handler http.Handler
	memory  *memory
}

// NewServer returns a server for a CustomResourceDefinition as the API server
// answered its creation. It is served at once, as if the controllers had
// accepted its names.
func NewServer(crd *apiextensionsv1.CustomResourceDefinition) (*Server, error) {
	crd = established(crd)
	informer := externalversions.NewSharedInformerFactory(nil, 0).Apiextensions().V1().CustomResourceDefinitions()
	if err := informer.Informer().GetIndexer().Add(crd); err != nil {
		return nil, fmt.Errorf("adding the CRD: %w", err)
	}
	schemas, err := staticSchemas()
	if err != nil {
		return nil, fmt.Errorf("building the static OpenAPI schemas: %w", err)
	}
	memory := newMemory()
	handler, err := apiserver.NewCustomResourceDefinitionHandler(
		nil, nil, informer, http.NotFoundHandler(), restOptions{memory, unstructuredCodec},
		admission.NewChainHandler(), nil, noServices{}, noNetwork, 1, allowAll{}, time.Minute, time.Minute, schemas, maxBody)
	if err != nil {
		return nil, fmt.Errorf("setting up the handler: %w", err)
	}
	return &Server{crd: crd, handler: withFilters(handler), memory: memory}, nil
}

// established returns a copy that looks as if the controllers had finished with
// it long ago: for two seconds after that the handler delays creations.
func established(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	crd.UID = types.UID(crd.Name)
	crd.Status.AcceptedNames = crd.Spec.Names
	longAgo := metav1.NewTime(time.Unix(0, 0))
	for _, condition := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.NamesAccepted, apiextensionsv1.Established} {
		crd.Status.Conditions = append(crd.Status.Conditions, apiextensionsv1.CustomResourceDefinitionCondition{
			Type: condition, Status: apiextensionsv1.ConditionTrue, LastTransitionTime: longAgo,
		})
	}
	return crd
}

// Write says how a request that writes is to be read. Empty fields are the
// server's defaults.
type Write struct {
	ContentType     string
	FieldValidation string
	DryRun          bool
}

func (w Write) query() map[string]string {
	query := map[string]string{"fieldValidation": w.FieldValidation}
	if w.DryRun {
		query["dryRun"] = metav1.DryRunAll
	}
	return query
}

// Create sends a new object to the endpoint of a version. The namespace does
// not matter if the resource is cluster-scoped.
func (s *Server) Create(version, namespace string, object []byte, how Write) (Answer, error) {
	return s.write(http.MethodPost, s.collection(version, namespace), object, how)
}

// Update sends a changed object to replace the stored one.
func (s *Server) Update(version, namespace, name string, object []byte, how Write) (Answer, error) {
	return s.write(http.MethodPut, s.item(version, namespace, name), object, how)
}

// UpdateStatus sends a changed object to replace the stored one's status.
func (s *Server) UpdateStatus(version, namespace, name string, object []byte, how Write) (Answer, error) {
	return s.write(http.MethodPut, s.item(version, namespace, name)+"/status", object, how)
}

// UpdateScale sends an autoscaling/v1 Scale.
func (s *Server) UpdateScale(version, namespace, name string, scale []byte, how Write) (Answer, error) {
	return s.write(http.MethodPut, s.item(version, namespace, name)+"/scale", scale, how)
}

// Patch sends a patch of the kind that how.ContentType names. Server-side apply
// is forced, in the name of the field manager "judge".
func (s *Server) Patch(version, namespace, name string, patch []byte, how Write) (Answer, error) {
	return s.write(http.MethodPatch, s.item(version, namespace, name), patch, how)
}

// Delete removes an object.
func (s *Server) Delete(version, namespace, name string) (Answer, error) {
	return serve(s.handler, call{method: http.MethodDelete, path: s.item(version, namespace, name)})
}

// Get reads an object.
func (s *Server) Get(version, namespace, name string) (Answer, error) {
	return s.read(s.item(version, namespace, name), "")
}

// List reads all objects of a namespace, or of all namespaces if it is empty,
// in order of their names.
func (s *Server) List(version, namespace string) (Answer, error) {
	return s.read(s.collection(version, namespace), "")
}

// Scale reads the scale subresource of an object.
func (s *Server) Scale(version, namespace, name string) (Answer, error) {
	return s.read(s.item(version, namespace, name)+"/scale", "")
}

// Table reads what List does in the form that `kubectl get` asks for. Its
// columns are those of `kubectl get -o wide`.
func (s *Server) Table(version, namespace string) (Answer, error) {
	return s.read(s.collection(version, namespace), acceptTable)
}

// Stored is what an object is in the storage, at the storage version; nil if
// there is none.
func (s *Server) Stored(namespace, name string) (*unstructured.Unstructured, error) {
	key := "/" + s.crd.Spec.Group + "/" + s.crd.Spec.Names.Plural
	if s.crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		key += "/" + namespace
	}
	s.memory.mutex.Lock()
	defer s.memory.mutex.Unlock()
	record, ok := s.memory.records[key+"/"+name]
	if !ok {
		return nil, nil
	}
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON(record.data)
}

func (s *Server) write(method, path string, body []byte, how Write) (Answer, error) {
	query := how.query()
	if how.ContentType == Apply {
		query["fieldManager"], query["force"] = "judge", "true"
	}
	return serve(s.handler, call{method: method, path: path, contentType: how.ContentType, body: body, query: query})
}

func (s *Server) read(path, accept string) (Answer, error) {
	return serve(s.handler, call{method: http.MethodGet, path: path, accept: accept})
}

func (s *Server) collection(version, namespace string) string {
	path := "/apis/" + s.crd.Spec.Group + "/" + url.PathEscape(version)
	if s.crd.Spec.Scope == apiextensionsv1.NamespaceScoped && namespace != "" {
		path += "/namespaces/" + url.PathEscape(namespace)
	}
	return path + "/" + s.crd.Spec.Names.Plural
}

func (s *Server) item(version, namespace, name string) string {
	return s.collection(version, namespace) + "/" + url.PathEscape(name)
}
