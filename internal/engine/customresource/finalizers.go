package customresource

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
)

// FinalizerWarnings returns the warnings about the names of the finalizers that the old
// object lacks. On create, old is nil.
func FinalizerWarnings(object, old *unstructured.Unstructured) (warnings []string) {
	for _, finalizer := range newFinalizers(object, old) {
		warnings = append(warnings, finalizerWarnings(finalizer)...)
	}
	return warnings
}

// newFinalizers returns the finalizers that the old object lacks, in alphabetical
// order. On create, old is nil.
func newFinalizers(object, old *unstructured.Unstructured) []string {
	finalizers := sets.New(object.GetFinalizers()...)
	if old != nil {
		finalizers.Delete(old.GetFinalizers()...)
	}
	return sets.List(finalizers)
}

// finalizerWarnings returns the warnings about the name of a finalizer
// (validateKubeFinalizerName of the strategy).
func finalizerWarnings(name string) []string {
	const path = "metadata.finalizers"
	var warnings []string
	for _, message := range validation.IsQualifiedName(name) {
		warnings = append(warnings, fmt.Sprintf("%s: %q: %s", path, name, message))
	}
	switch name {
	case metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, string(corev1.FinalizerKubernetes):
		return warnings
	}
	if strings.Contains(name, "/") {
		return warnings
	}
	including := ""
	if strings.Contains(name, ".") {
		including = " including a path (/)"
	}
	return append(warnings, fmt.Sprintf("%s: %q: prefer a domain-qualified finalizer name%s to avoid accidental conflicts with other finalizer writers", path, name, including))
}
