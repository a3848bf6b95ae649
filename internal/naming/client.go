package naming

import (
	"context"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	typed "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	listers "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// client is the controller's client of a cluster. The controller only updates the status.
type client struct {
	typed.CustomResourceDefinitionInterface
	cluster *cluster
}

func (c client) CustomResourceDefinitions() typed.CustomResourceDefinitionInterface { return c }

func (c client) UpdateStatus(_ context.Context, crd *apiextensionsv1.CustomResourceDefinition, _ metav1.UpdateOptions) (*apiextensionsv1.CustomResourceDefinition, error) {
	return c.cluster.updateStatus(crd)
}

// informer notifies the controller of the changes in a cluster. The controller needs only
// these methods.
type informer struct {
	cache.SharedIndexInformer
	cluster *cluster
}

func (i informer) Informer() cache.SharedIndexInformer { return i }

func (i informer) Lister() listers.CustomResourceDefinitionLister {
	return listers.NewCustomResourceDefinitionLister(i.cluster.crds)
}

func (i informer) GetIndexer() cache.Indexer { return i.cluster.crds }

func (i informer) HasSynced() bool { return true }

func (i informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	i.cluster.handler = handler
	return nil, nil //nolint:nilnil // The controller ignores the registration.
}
