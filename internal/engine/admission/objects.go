package admission

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Objects are what a text declares, with the API server's defaults, for those
// who put them into a cluster. It is false if a document cannot be there; the
// answers of webhooks are no objects.
func Objects(text string) ([]runtime.Object, bool) {
	t := readAdmissionText(text)
	objects := append([]runtime.Object{}, t.params...)
	for _, name := range slices.Sorted(maps.Keys(t.namespaces)) {
		objects = append(objects, t.namespaces[name])
	}
	objects = appendDeclared(objects, t.validatingPolicies)
	objects = appendDeclared(objects, t.validatingBindings)
	objects = appendDeclared(objects, t.mutatingPolicies)
	objects = appendDeclared(objects, t.mutatingBindings)
	objects = appendDeclared(objects, t.validatingWebhooks)
	objects = appendDeclared(objects, t.mutatingWebhooks)
	return objects, len(t.refused) == 0
}

func appendDeclared[T interface {
	runtime.Object
	metav1.Object
}](objects []runtime.Object, list []declared[T]) []runtime.Object {
	for _, d := range list {
		objects = append(objects, d.object)
	}
	return objects
}
