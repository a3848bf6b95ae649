package apiserver

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// converted is a CRD with two versions.
const converted = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tapes.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: tapes, kind: Tape}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer}}}}}
`

// TestFailingConversion reads an object at its version and at another one, for which a conversion webhook
// does not answer. The watch cache of the other version is never filled.
func TestFailingConversion(t *testing.T) {
	server, creator, _ := start(t, Options{})
	for _, document := range []string{converted, "apiVersion: example.com/v1\nkind: Tape\nmetadata: {name: a}\nsize: 1\n"} {
		if err := creator.Create(t.Context(), document); err != nil {
			t.Fatal(err)
		}
	}
	client, err := dynamic.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	const webhook = `{"spec":{"conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"url":"https://127.0.0.1:1/"}}}}}`
	if _, err := client.Resource(crds).Patch(t.Context(), "tapes.example.com", types.MergePatchType, []byte(webhook), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for err = nil; err == nil; { // until the change is effective
		_, err = client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v2", Resource: "tapes"}).Get(ctx, "a", metav1.GetOptions{})
	}
	if !strings.Contains(err.Error(), "conversion webhook for example.com/v1, Kind=Tape failed") {
		t.Errorf("the object at the other version: %v", err)
	}
	if _, err := client.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "tapes"}).Get(ctx, "a", metav1.GetOptions{}); err != nil {
		t.Errorf("the object at its version: %v", err)
	}
}
