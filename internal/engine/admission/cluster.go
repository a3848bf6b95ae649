package admission

import (
	"cmp"
	"maps"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	admissionregistrationinformers "k8s.io/client-go/informers/admissionregistration"
	admissionregistrationv1informers "k8s.io/client-go/informers/admissionregistration/v1"
	coreinformers "k8s.io/client-go/informers/core"
	corev1informers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	admissionregistrationv1listers "k8s.io/client-go/listers/admissionregistration/v1"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
)

// The admission plugins know a cluster by its informers. These show them what
// an admission text declares. Embedded interfaces are nil: their methods are
// those that the plugins do not call.

// cluster is what the plugins see.
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

// client is never called, since every namespace is in the lister.
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

// staticInformer has seen all there is, and nothing changes.
type staticInformer struct{ cache.SharedIndexInformer }

func (staticInformer) HasSynced() bool { return true }

func (staticInformer) AddEventHandler(cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	return staticInformer{}, nil
}

// namespaceLister has every namespace; those that the text does not declare
// are as `kubectl create namespace` makes them.
type namespaceLister map[string]*corev1.Namespace

func (l namespaceLister) Get(name string) (*corev1.Namespace, error) {
	if namespace, ok := l[name]; ok {
		return namespace, nil
	}
	return completeNamespace(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}), nil
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

// paramInformer has the objects of one kind that a text declares.
type paramInformer struct {
	indexer cache.Indexer
	kind    schema.GroupKind
}

func (i paramInformer) Informer() cache.SharedIndexInformer { return staticInformer{} }

func (i paramInformer) Lister() cache.GenericLister {
	resource, _ := meta.UnsafeGuessKindToResource(i.kind.WithVersion(""))
	return sortedLister{cache.NewGenericLister(i.indexer, resource.GroupResource())}
}

// sortedLister lists in the order of names. An informer's order is random.
type sortedLister struct{ cache.GenericLister }

func (l sortedLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return sortedByName(l.GenericLister.List(selector))
}

func (l sortedLister) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return sortedNamespaceLister{l.GenericLister.ByNamespace(namespace)}
}

type sortedNamespaceLister struct{ cache.GenericNamespaceLister }

func (l sortedNamespaceLister) List(selector labels.Selector) ([]runtime.Object, error) {
	return sortedByName(l.GenericNamespaceLister.List(selector))
}

// newParamInformer takes what kind names from params, and tells whether such
// objects have a namespace: as far as can be seen from the objects and the
// bindings' references, unless they are the API server's own.
func newParamInformer(kind *admissionregistrationv1.ParamKind, params []runtime.Object, refs []*admissionregistrationv1.ParamRef) (informers.GenericInformer, meta.RESTScope) {
	gvk := schema.FromAPIVersionAndKind(kind.APIVersion, kind.Kind)
	informer := paramInformer{indexer: newIndexer(), kind: gvk.GroupKind()}
	scope := meta.RESTScopeRoot
	namesNamespace := func(ref *admissionregistrationv1.ParamRef) bool { return ref != nil && ref.Namespace != "" }
	if gvk.Group == "" && (gvk.Kind == "ConfigMap" || gvk.Kind == "Secret") || slices.ContainsFunc(refs, namesNamespace) {
		scope = meta.RESTScopeNamespace
	}
	for _, param := range params {
		accessor, err := meta.Accessor(param)
		if err != nil || param.GetObjectKind().GroupVersionKind() != gvk {
			continue
		}
		if accessor.GetNamespace() != "" {
			scope = meta.RESTScopeNamespace
		}
		_ = informer.indexer.Add(param) // its key function cannot fail on an object with metadata
	}
	return informer, scope
}

func sortedByName(list []runtime.Object, err error) ([]runtime.Object, error) {
	slices.SortFunc(list, func(a, b runtime.Object) int { return cmp.Compare(paramName(a), paramName(b)) })
	return list, err
}

// paramName names an object by its kind, namespace and name.
func paramName(param runtime.Object) string {
	accessor, err := meta.Accessor(param)
	if err != nil {
		return ""
	}
	name := accessor.GetName()
	if accessor.GetNamespace() != "" {
		name = accessor.GetNamespace() + "/" + name
	}
	return param.GetObjectKind().GroupVersionKind().Kind + " " + name
}
