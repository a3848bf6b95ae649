package manifest

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Objects returns the objects of a manifest, with the API server's defaults, to
// create them in a cluster. It is false if a document is invalid. Responses of
// webhooks are not objects.
func Objects(yaml string) ([]runtime.Object, bool) {
	m := Parse(yaml)
	objects := append([]runtime.Object{}, m.Params...)
	for _, name := range slices.Sorted(maps.Keys(m.Namespaces)) {
		objects = append(objects, m.Namespaces[name])
	}
	objects = appendDeclared(objects, m.ValidatingPolicies)
	objects = appendDeclared(objects, m.ValidatingBindings)
	objects = appendDeclared(objects, m.MutatingPolicies)
	objects = appendDeclared(objects, m.MutatingBindings)
	objects = appendDeclared(objects, m.ValidatingWebhooks)
	objects = appendDeclared(objects, m.MutatingWebhooks)
	return objects, len(m.rejected) == 0
}

func appendDeclared[T interface {
	runtime.Object
	metav1.Object
}](objects []runtime.Object, list []Declared[T]) []runtime.Object {
	for _, d := range list {
		objects = append(objects, d.Object)
	}
	return objects
}
