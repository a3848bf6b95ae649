package apiserver

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// TestChangeOfCRD creates an object right after each of several changes of its CRD. On a busy machine, an
// object may still overtake a change.
func TestChangeOfCRD(t *testing.T) {
	server, creator, _ := start(t, Options{})
	client, err := dynamic.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	overtakes := 0
	for size := range 50 {
		change := fmt.Sprintf(`[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/spec/x-kubernetes-validations/0/rule","value":"self.size == %d"}]`, size)
		if _, err := client.Resource(crds).Patch(t.Context(), "disks.example.com", types.JSONPatchType, []byte(change), metav1.PatchOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := creator.Create(t.Context(), disk("default", fmt.Sprintf("a-%d", size), fmt.Sprintf("{size: %d}", size))); err != nil {
			overtakes++
		}
	}
	if overtakes > 5 {
		t.Errorf("%d of 50 objects overtake the change of their CRD", overtakes)
	}
}
