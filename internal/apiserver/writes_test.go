package apiserver

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

// summary is what a test compares of a [Write].
type summary struct {
	Verb, Resource, Subresource, Name string
	IsApply                           bool
	Old, Object                       any // the specs
	HasCRD, HasPolicy                 bool
	Code                              int
	Message                           string
}

// TestWrites sends requests of each kind, and compares what the server reports about them.
func TestWrites(t *testing.T) {
	var writes []summary
	spec := func(document string) any {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Error(err)
		}
		return object["spec"]
	}
	o := Options{Explain: func(w Write) {
		s := summary{w.Verb, w.Resource, w.Subresource, w.Name, w.IsApply, spec(w.Old), spec(w.Object), w.CRD != "", strings.Contains(w.Admission, "four is refused"), w.Code, w.Message}
		if w.CRD == "" {
			s.Old, s.Object = s.Old != nil, s.Object != nil
		}
		if w.User.GetName() != "kubernetes-admin" || w.APIVersion != "v1" {
			t.Errorf("the write is by %s at %s", w.User.GetName(), w.APIVersion)
		}
		writes = append(writes, s)
	}}
	server, creator, disks := start(t, o)
	all, err := dynamic.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	patch := func(resource dynamic.ResourceInterface, name string, kind types.PatchType, body string, subresources ...string) {
		_, _ = resource.Patch(t.Context(), name, kind, []byte(body), metav1.PatchOptions{FieldManager: "test"}, subresources...)
	}
	for _, document := range []string{disk("default", "a", "{size: 2, other: 1}"), disk("default", "a", "{size: 2}"), policy, binding} {
		_ = creator.Create(t.Context(), document)
	}
	stored, err := disks.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := unstructured.SetNestedField(stored.Object, int64(3), "spec", "size"); err != nil {
		t.Fatal(err)
	}
	if _, err := disks.Update(t.Context(), stored, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	patch(disks, "a", types.JSONPatchType, `[{"op":"add","path":"/spec/note","value":"n"}]`)
	patch(disks, "a", types.MergePatchType, `{"spec":{"size":9}}`)
	patch(disks, "a", types.JSONPatchType, `[`)
	patch(disks, "a", types.ApplyYAMLPatchType, "{apiVersion: example.com/v1, kind: Disk, spec: {note: m}}")
	patch(disks, "b", types.ApplyYAMLPatchType, "{apiVersion: example.com/v1, kind: Disk, metadata: {name: b}, spec: {size: 1}}")
	patch(all.Resource(crds), "disks.example.com", types.StrategicMergePatchType, `{"spec":{"scope":"Cluster"}}`)
	// These are not about the objects.
	patch(disks, "a", types.MergePatchType, `{"spec":{"replicas":2}}`, "scale")
	patch(all.Resource(crds), "disks.example.com", types.MergePatchType, `{"metadata":{"labels":{"a":"b"}}}`, "status")

	m := func(text string) (value any) {
		if err := json.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		return value
	}
	const conflict = "Apply failed with 1 conflict: conflict with \"test\" using example.com/v1: .spec.note"
	want := []summary{
		{"create", "customresourcedefinitions", "", "disks.example.com", false, false, true, false, false, 201, ""},
		{"create", "disks", "", "a", false, nil, m(`{"size":2,"other":1}`), true, false, 400, `Disk in version "v1" cannot be handled as a Disk: strict decoding error: unknown field "spec.other"`},
		{"create", "disks", "", "a", false, nil, m(`{"size":2}`), true, false, 201, ""},
		{"update", "disks", "", "a", false, m(`{"size":2}`), m(`{"size":3}`), true, true, 200, ""},
		{"patch", "disks", "", "a", false, m(`{"size":3}`), m(`{"size":3,"note":"n"}`), true, true, 200, ""},
		{"patch", "disks", "", "a", false, m(`{"size":3,"note":"n"}`), m(`{"size":9,"note":"n"}`), true, true, 422, `Disk.example.com "a" is invalid: spec: Invalid value: the disk is too large`},
		{"patch", "disks", "", "a", false, m(`{"size":3,"note":"n"}`), nil, true, true, 400, "invalid JSON patch"},
		{"patch", "disks", "", "a", true, m(`{"size":3,"note":"n"}`), m(`{"note":"m"}`), true, true, 409, conflict},
		{"patch", "disks", "", "b", true, nil, m(`{"size":1}`), true, true, 201, ""},
		{"patch", "customresourcedefinitions", "", "disks.example.com", false, true, true, false, true, 422, `CustomResourceDefinition.apiextensions.k8s.io "disks.example.com" is invalid: spec.scope: Invalid value: "Cluster": field is immutable`},
	}
	for i, w := range writes {
		if i < len(want) && !reflect.DeepEqual(w, want[i]) {
			t.Errorf("write %d is\n%+v, want\n%+v", i, w, want[i])
		}
	}
	if len(writes) != len(want) {
		t.Errorf("there are %d writes, want %d", len(writes), len(want))
	}
}
