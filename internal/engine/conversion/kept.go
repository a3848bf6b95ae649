package conversion

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/crdlab/crdlab/internal/engine/jsonvalue"
)

// KeptIn returns the annotation in which the conversion rules keep a value that the object
// lacks, and false if they do not keep it.
func KeptIn(object *unstructured.Unstructured, path []any, value any) (annotation string, ok bool) {
	annotations := object.GetAnnotations()
	for _, name := range slices.Sorted(maps.Keys(annotations)) {
		fields := map[string]any{}
		if !strings.HasPrefix(name, preserveAnnotation) || utiljson.Unmarshal([]byte(annotations[name]), &fields) != nil {
			continue
		}
		for field, kept := range fields {
			steps := jsonvalue.SplitJSONPath(field)
			if len(steps) > len(path) || !slices.Equal(steps, jsonvalue.PathSteps(path[:len(steps)])) {
				continue
			}
			if found, has := jsonvalue.At(kept, path[len(steps):]); has && jsonvalue.Equal(found, value) {
				return name, true
			}
		}
	}
	return "", false
}

// IsOfRules reports whether a value at a path consists of annotations in which the conversion
// rules keep fields.
func IsOfRules(path []any, value any) bool {
	steps := jsonvalue.PathSteps(path)
	if len(steps) < 2 || !slices.Equal(steps[:2], []string{"metadata", "annotations"}) {
		return false
	}
	if len(steps) == 3 {
		return strings.HasPrefix(steps[2], preserveAnnotation)
	}
	annotations, _ := value.(map[string]any)
	for name := range annotations {
		if !strings.HasPrefix(name, preserveAnnotation) {
			return false
		}
	}
	return len(annotations) > 0
}
