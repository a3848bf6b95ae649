package customresource

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/util/jsonpath"

	"github.com/crdlab/crdlab/internal/engine/crd"
	"github.com/crdlab/crdlab/internal/playground"
)

// SelectableFields returns the field selectors that match an object as read at a
// version with the declared selectable fields.
func SelectableFields(v *crd.Version, declared []apiextensionsv1.SelectableField, object *unstructured.Unstructured) playground.SelectableFields {
	out := playground.SelectableFields{Version: v.Kind.Version, Fields: []playground.SelectableField{}}
	set, err := selectorSet(v, declared, object)
	if err != nil {
		out.Error = err.Error()
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out.Fields = append(out.Fields, playground.SelectableField{
			Name:     name,
			Value:    set[name],
			Selector: fields.OneTermEqualSelector(name, set[name]).String(),
		})
	}
	return out
}

// selectorSet returns the names and values that field selectors match
// (customResourceStrategy.selectableFields in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource, which is not exported).
func selectorSet(v *crd.Version, declared []apiextensionsv1.SelectableField, object *unstructured.Unstructured) (fields.Set, error) {
	set := fields.Set{"metadata.name": object.GetName()}
	if v.Namespaced {
		set["metadata.namespace"] = object.GetNamespace()
	}
	for _, field := range declared {
		value, err := selectableValue(field.JSONPath, object)
		if err != nil {
			return nil, err
		}
		set[strings.TrimPrefix(field.JSONPath, ".")] = value
	}
	return set, nil
}

// selectableValue returns the value at a JSON path as a string, which is empty without
// a value.
func selectableValue(path string, object *unstructured.Unstructured) (string, error) {
	parser := jsonpath.New("selectableField").AllowMissingKeys(true)
	if err := parser.Parse("{" + path + "}"); err != nil {
		return "", fmt.Errorf("unexpected error parsing jsonPath: %w", err)
	}
	results, err := parser.FindResults(object.UnstructuredContent())
	if err != nil {
		return "", fmt.Errorf("unexpected error finding value with jsonPath: %w", err)
	}
	if len(results) == 0 || len(results[0]) == 0 {
		return "", nil
	}
	if len(results) > 1 || len(results[0]) > 1 {
		return "", errors.New("unexpectedly received more than one JSON path result")
	}
	value := results[0][0].Interface()
	if value == nil {
		return "", nil
	}
	return fmt.Sprint(value), nil
}
