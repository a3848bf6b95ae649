package customresource

import (
	"fmt"
	"slices"
	"strings"
	"time"

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

// FinalizersToAwait returns the finalizers that a delete awaits. It omits the
// finalizers of the garbage collector, which belong to other propagation policies.
func FinalizersToAwait(object *unstructured.Unstructured) []string {
	return slices.DeleteFunc(object.GetFinalizers(), func(f string) bool {
		return f == metav1.FinalizerOrphanDependents || f == metav1.FinalizerDeleteDependents
	})
}

// MarkDeleted marks an object as deleted, for the controllers that remove its
// finalizers (markAsDeleting in the same package).
func MarkDeleted(object *unstructured.Unstructured, finalizers []string, now time.Time) {
	object.SetFinalizers(finalizers)
	if object.GetDeletionTimestamp() == nil && object.GetGeneration() > 0 {
		object.SetGeneration(object.GetGeneration() + 1)
	}
	if existing := object.GetDeletionTimestamp(); existing == nil || existing.After(now) {
		at := metav1.NewTime(now)
		object.SetDeletionTimestamp(&at)
	}
	var period int64
	object.SetDeletionGracePeriodSeconds(&period)
}

// RemovesLastFinalizer reports whether an update removes the last finalizer of a
// deleted object, which then disappears (ShouldDeleteDuringUpdate in the same
// package). On create, old is nil.
func RemovesLastFinalizer(object, old *unstructured.Unstructured) bool {
	if old == nil || len(object.GetFinalizers()) > 0 || old.GetDeletionTimestamp() == nil {
		return false
	}
	period := old.GetDeletionGracePeriodSeconds()
	return period == nil || *period == 0
}
