package apiserver

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	etcd "go.etcd.io/etcd/client/v3/kubernetes"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/enginetest/corpus"
)

// BenchmarkStart measures the time from New until the server is ready.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		server := newTestServer(b, Options{})
		ctx, stop := context.WithCancel(b.Context())
		go func() { _ = server.Run(ctx) }()
		<-server.Ready()
		stop()
	}
}

// BenchmarkFirstObject measures the time from the creation of a CRD until an object is accepted.
func BenchmarkFirstObject(b *testing.B) {
	_, creator, _ := start(b, Options{})
	for i := range b.N {
		group := fmt.Sprintf("g%d.example.com", i)
		for _, document := range []string{crd, disk("default", "a", "{}")} {
			document = strings.ReplaceAll(document, "example.com", group)
			if err := creator.Create(b.Context(), document); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkCreate measures the time of a request to create an object.
func BenchmarkCreate(b *testing.B) {
	for _, stored := range []string{"memory", "file"} {
		b.Run(stored, func(b *testing.B) {
			var data *etcd.Client
			if stored == "file" {
				data = open(b, filepath.Join(b.TempDir(), "objects"))
			}
			_, creator, objects := start(b, Options{Data: data})
			if err := creator.Create(b.Context(), disk("default", "a", "{}")); err != nil { // waits until they are served
				b.Fatal(err)
			}
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Disk", "metadata": map[string]any{"generateName": "a-"}}}
			for b.Loop() {
				if _, err := objects.Create(b.Context(), object, metav1.CreateOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCorpus measures the time to create the CRDs of real projects, one after the other.
func BenchmarkCorpus(b *testing.B) {
	projects := corpus.Open(b)
	var documents []string
	for _, project := range projects.Projects {
		for _, crd := range project.CRDs {
			if crd.Oracle.Accepted {
				documents = append(documents, projects.Read(b, crd.File))
			}
		}
	}
	for b.Loop() {
		_, creator, _ := start(b, Options{})
		for _, document := range documents {
			_ = creator.Create(b.Context(), document) // The strict validation refuses some.
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*len(documents)), "ms/CRD")
}
