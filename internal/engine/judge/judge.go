//go:build !js

// Package judge answers requests for CustomResourceDefinitions and custom
// resources with the API server's own request handlers, run in this process
// over a storage in memory. Tests compare the engine's verdicts with it; the
// product never imports it.
package judge

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/go-logr/logr"
	"github.com/google/uuid"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/klog/v2"

	"github.com/crdlab/crdlab/internal/engine/trial"
)

// The handlers log what they answer with an error; the answer says it already.
func init() { klog.SetLogger(logr.Discard()) }

// Cluster is a [trial.Cluster] without controllers.
type Cluster struct {
	crds, objects *memory
	crdHandler    http.Handler

	crd *apiextensionsv1.CustomResourceDefinition // that is served; nil if none
	// handler serves the custom resources of crd.
	handler http.Handler
	webhook webhookTransport
	// admission has the plugins that admit the requests of user; stopAdmission
	// ends them.
	admission     admissionSwitch
	user          user.Info
	stopAdmission func()
}

var _ trial.Cluster = &Cluster{}

// New returns a cluster without CRDs.
func New() (*Cluster, error) {
	c := &Cluster{crds: newMemory(), objects: newMemory(), handler: http.NotFoundHandler()}
	var err error
	if c.crdHandler, err = newCRDHandler(c.crds); err != nil {
		return nil, fmt.Errorf("set up the CRD handler: %w", err)
	}
	return c, nil
}

// HasControllers implements [trial.Cluster].
func (*Cluster) HasControllers() bool { return false }

// Clear implements [trial.Cluster].
func (c *Cluster) Clear() error {
	c.crds.clear()
	c.objects.clear()
	c.crd, c.handler = nil, http.NotFoundHandler()
	return nil
}

// PutCRD implements [trial.Cluster].
func (c *Cluster) PutCRD(crd *apiextensionsv1.CustomResourceDefinition) (string, error) {
	crd = established(crd)
	crd.SetGroupVersionKind(apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition"))
	identify(crd)
	data, err := utiljson.Marshal(crd)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(c.crds.put(crdKeys+crd.Name, data).revision), nil
}

// Settle implements [trial.Cluster].
func (c *Cluster) Settle(answered *unstructured.Unstructured) (*apiextensionsv1.CustomResourceDefinition, error) {
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(answered.Object, crd); err != nil {
		return nil, fmt.Errorf("convert the CRD: %w", err)
	}
	handler, err := newHandler(crd, c.objects, &c.webhook, &c.admission, c.requester)
	if err != nil {
		return nil, fmt.Errorf("set up the handler of %s: %w", crd.Name, err)
	}
	c.crd, c.handler = crd, handler
	return crd, nil
}

func (c *Cluster) requester() user.Info {
	if c.user == nil {
		return superuser()
	}
	return c.user
}

// ClearObjects implements [trial.Cluster].
func (c *Cluster) ClearObjects() error {
	c.objects.clear()
	return nil
}

// Put implements [trial.Cluster].
func (c *Cluster) Put(object *unstructured.Unstructured) error {
	object = object.DeepCopy()
	identify(object)
	data, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	c.objects.put(c.objectKey(object.GetNamespace(), object.GetName()), data)
	return nil
}

// identify sets what the server sets on each object that it creates.
func identify(object metav1.Object) {
	if object.GetUID() == "" {
		object.SetUID(types.UID(uuid.NewString()))
	}
	if created := object.GetCreationTimestamp(); created.IsZero() {
		object.SetCreationTimestamp(metav1.Now())
	}
	object.SetResourceVersion("") // is the revision of the storage
}

// Stored implements [trial.Cluster].
func (c *Cluster) Stored(namespace, name string) (*unstructured.Unstructured, error) {
	data, ok := c.objects.get(c.objectKey(namespace, name))
	if !ok {
		return nil, nil
	}
	object := &unstructured.Unstructured{}
	return object, object.UnmarshalJSON(data.data)
}

func (c *Cluster) objectKey(namespace, name string) string {
	key := resourcePrefix(c.crd.Spec.Group, c.crd.Spec.Names.Plural)
	if c.crd.Spec.Scope == apiextensionsv1.NamespaceScoped {
		key += "/" + namespace
	}
	return key + "/" + name
}

// AnswerWebhooks implements [trial.Cluster].
func (c *Cluster) AnswerWebhooks(handler http.Handler) { c.webhook.handler = handler }

// Do implements [trial.Cluster].
func (c *Cluster) Do(request trial.Request) (trial.Answer, error) {
	if strings.HasPrefix(request.Path, trial.CRDPath) {
		return serve(c.crdHandler, request)
	}
	return serve(c.handler, request)
}
