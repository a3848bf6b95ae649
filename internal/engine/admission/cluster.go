package admission

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	admissionregistrationinformers "k8s.io/client-go/informers/admissionregistration"
	admissionregistrationv1informers "k8s.io/client-go/informers/admissionregistration/v1"
	coreinformers "k8s.io/client-go/informers/core"
	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	admissionregistrationv1listers "k8s.io/client-go/listers/admissionregistration/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/crdlab/crdlab/internal/engine/admission/manifest"
)

// A cluster provides the objects of a manifest through informers, the only access
// of the admission plugins. Embedded interfaces are nil: the plugins do not call
// their methods.
type cluster struct {
	informers.SharedInformerFactory
	namespaces namespaceLister
	mutating   cache.Indexer // of MutatingWebhookConfigurations
	validating cache.Indexer // of ValidatingWebhookConfigurations
}

func newCluster(namespaces namespaceLister) *cluster {
	return &cluster{namespaces: namespaces, mutating: newIndexer(), validating: newIndexer()}
}

func newIndexer() cache.Indexer {
	return cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
}

// client returns a client without methods. The plugins call it only for
// namespaces that the lister lacks, and the lister has every namespace.
func (c *cluster) client() kubernetes.Interface { return struct{ kubernetes.Interface }{} }

func (c *cluster) Core() coreinformers.Interface { return coreInformers{cluster: c} }

func (c *cluster) Admissionregistration() admissionregistrationinformers.Interface {
	return registrationInformers{cluster: c}
}

type coreInformers struct {
	coreinformers.Interface
	cluster *cluster
}

func (i coreInformers) V1() corev1informers.Interface { return coreV1Informers{cluster: i.cluster} }

type coreV1Informers struct {
	corev1informers.Interface
	cluster *cluster
}

func (i coreV1Informers) Namespaces() corev1informers.TypedNamespaceInformer {
	return namespaceInformer{lister: i.cluster.namespaces}
}

type namespaceInformer struct {
	corev1informers.TypedNamespaceInformer
	lister namespaceLister
}

func (i namespaceInformer) Informer() cache.SharedIndexInformer   { return staticInformer{} }
func (i namespaceInformer) Lister() corev1listers.NamespaceLister { return i.lister }

type registrationInformers struct {
	admissionregistrationinformers.Interface
	cluster *cluster
}

func (i registrationInformers) V1() admissionregistrationv1informers.Interface {
	return registrationV1Informers{cluster: i.cluster}
}

type registrationV1Informers struct {
	admissionregistrationv1informers.Interface
	cluster *cluster
}

func (i registrationV1Informers) MutatingWebhookConfigurations() admissionregistrationv1informers.TypedMutatingWebhookConfigurationInformer {
	return mutatingInformer{indexer: i.cluster.mutating}
}

func (i registrationV1Informers) ValidatingWebhookConfigurations() admissionregistrationv1informers.TypedValidatingWebhookConfigurationInformer {
	return validatingInformer{indexer: i.cluster.validating}
}

type mutatingInformer struct {
	admissionregistrationv1informers.TypedMutatingWebhookConfigurationInformer
	indexer cache.Indexer
}

func (i mutatingInformer) Informer() cache.SharedIndexInformer { return staticInformer{} }

func (i mutatingInformer) Lister() admissionregistrationv1listers.MutatingWebhookConfigurationLister {
	return admissionregistrationv1listers.NewMutatingWebhookConfigurationLister(i.indexer)
}

type validatingInformer struct {
	admissionregistrationv1informers.TypedValidatingWebhookConfigurationInformer
	indexer cache.Indexer
}

func (i validatingInformer) Informer() cache.SharedIndexInformer { return staticInformer{} }

func (i validatingInformer) Lister() admissionregistrationv1listers.ValidatingWebhookConfigurationLister {
	return admissionregistrationv1listers.NewValidatingWebhookConfigurationLister(i.indexer)
}

// A staticInformer is synchronized and never changes.
type staticInformer struct{ cache.SharedIndexInformer }

func (staticInformer) HasSynced() bool { return true }

func (staticInformer) AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return staticInformer{}, nil
}

// A namespaceLister contains every namespace. A namespace that the manifest does
// not declare has the content that `kubectl create namespace` gives it.
type namespaceLister map[string]*corev1.Namespace

func (l namespaceLister) Get(name string) (*corev1.Namespace, error) {
	if namespace, ok := l[name]; ok {
		return namespace, nil
	}
	return manifest.CompleteNamespace(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}), nil
}

func (l namespaceLister) List(selector labels.Selector) ([]*corev1.Namespace, error) {
	var list []*corev1.Namespace
	for _, name := range slices.Sorted(maps.Keys(l)) {
		if selector.Matches(labels.Set(l[name].Labels)) {
			list = append(list, l[name])
		}
	}
	return list, nil
}
