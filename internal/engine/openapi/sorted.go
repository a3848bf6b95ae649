package openapi

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// A repeatableConverter is a TypeConverter whose errors are reproducible. Upstream visits
// the fields of an object in the random order of Go's maps and stops at the first unknown
// field, so even the set of the errors is random.
type repeatableConverter struct{ managedfields.TypeConverter }

// ObjectToTyped implements managedfields.TypeConverter. If the object is invalid, it
// validates the object again, in the order of the field names.
func (c repeatableConverter) ObjectToTyped(object runtime.Object, options ...typed.ValidationOptions) (*typed.TypedValue, error) {
	out, err := c.TypeConverter.ObjectToTyped(object, options...)
	invalid, isUnstructured := object.(*unstructured.Unstructured)
	if _, isInvalid := errors.AsType[typed.ValidationErrors](err); !isInvalid || !isUnstructured {
		return out, err
	}
	empty := &unstructured.Unstructured{}
	empty.SetGroupVersionKind(invalid.GroupVersionKind())
	valid, noType := c.TypeConverter.ObjectToTyped(empty)
	if noType != nil {
		return out, err
	}
	return typed.AsTyped(sortedValue{value.NewValueInterface(invalid.Object)}, valid.Schema(), valid.TypeRef(), options...)
}

// A sortedValue is a value whose mappings are visited in the order of their keys.
type sortedValue struct{ value.Value }

// Format prints the original value, because messages quote values.
func (v sortedValue) Format(f fmt.State, verb rune) {
	fmt.Fprintf(f, fmt.FormatString(f, verb), v.Value)
}

func (v sortedValue) AsMap() value.Map                       { return sortedMap{v.Value.AsMap()} }
func (v sortedValue) AsMapUsing(value.Allocator) value.Map   { return v.AsMap() }
func (v sortedValue) AsList() value.List                     { return sortedList{v.Value.AsList()} }
func (v sortedValue) AsListUsing(value.Allocator) value.List { return v.AsList() }

// A sortedList is a list of sorted values.
type sortedList struct{ value.List }

func (l sortedList) At(i int) value.Value                         { return sortedValue{l.List.At(i)} }
func (l sortedList) AtUsing(_ value.Allocator, i int) value.Value { return l.At(i) }

// A sortedMap is a mapping of sorted values.
type sortedMap struct{ value.Map }

func (m sortedMap) Iterate(visit func(string, value.Value) bool) bool {
	fields := map[string]value.Value{}
	m.Map.Iterate(func(name string, field value.Value) bool {
		fields[name] = value.NewValueInterface(field.Unstructured()) // upstream reuses field
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if !visit(name, sortedValue{fields[name]}) {
			return false
		}
	}
	return true
}

func (m sortedMap) IterateUsing(_ value.Allocator, visit func(string, value.Value) bool) bool {
	return m.Iterate(visit)
}
