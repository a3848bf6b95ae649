package admission

import (
	"cmp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
)

// A paramInformer provides the objects of one kind in a manifest.
type paramInformer struct {
	indexer cache.Indexer
	kind    schema.GroupKind
}

func (i paramInformer) Informer() cache.SharedIndexInformer { return staticInformer{} }

func (i paramInformer) Lister() cache.GenericLister {
	resource, _ := meta.UnsafeGuessKindToResource(i.kind.WithVersion(""))
	return sortedLister{cache.NewGenericLister(i.indexer, resource.GroupResource())}
}

// A sortedLister lists objects by name. An informer's order is random.
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

// newParamInformer returns the objects of a kind and their scope. The scope of
// custom resources is not known; it follows from the namespaces of the objects
// and of the bindings' references.
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

// paramName returns the name of an object for the report: "Kind namespace/name".
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

// collectParams returns a function that finds the parameters of a binding in a
// namespace, like the dispatchers. The report explains missing parameters with it.
func collectParams(kind *admissionregistrationv1.ParamKind, ref *admissionregistrationv1.ParamRef, informer informers.GenericInformer, scope meta.RESTScope) func(string) ([]runtime.Object, error) {
	return func(namespace string) ([]runtime.Object, error) {
		return generic.CollectParams(kind, informer, scope, ref, namespace, nil, nil)
	}
}
