package apiserver

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	etcd "go.etcd.io/etcd/client/v3/kubernetes"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/crdlab/crdlab/internal/memetcd"
)

// service returns a Service with a port of the nodes.
func service(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec: {type: NodePort, ports: [{port: 80, nodePort: 30080}]}\n", name)
}

// TestRestart starts two servers with the same file.
func TestRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects")
	var before *unstructured.Unstructured
	t.Run("first", func(t *testing.T) {
		_, creator, objects := start(t, Options{Data: open(t, file)})
		for _, document := range []string{disk("default", "a", "{size: 2, note: old}"), service("a")} {
			if err := creator.Create(t.Context(), document); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := memetcd.Open(file); !errors.Is(err, memetcd.ErrInUse) {
			t.Errorf("the file of a running server: %v", err)
		}
		var err error
		if before, err = objects.Get(t.Context(), "a", metav1.GetOptions{}); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("second", func(t *testing.T) {
		_, creator, objects := start(t, Options{Data: open(t, file)})
		after, err := objects.Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil || !reflect.DeepEqual(after, before) {
			t.Errorf("the object is %v, %v; before, it was %v", after, err, before)
		}
		if err := creator.Create(t.Context(), service("b")); err == nil || !strings.Contains(err.Error(), "already allocated") {
			t.Errorf("a service with the port of another: %v", err)
		}
		for _, document := range []string{disk("default", "a", "{size: 3}"), service("a")} {
			if err := creator.Create(t.Context(), document); err != nil {
				t.Error(err)
			}
		}
		after, err = objects.Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := after.Object["spec"], map[string]any{"size": int64(3)}; !reflect.DeepEqual(got, want) {
			t.Errorf("an applied document gives the spec %v, want %v", got, want)
		}
		old, err := objects.Watch(t.Context(), metav1.ListOptions{ResourceVersion: before.GetResourceVersion()})
		if err != nil {
			t.Fatal(err)
		}
		defer old.Stop()
		if event := <-old.ResultChan(); !apierrors.IsResourceExpired(apierrors.FromObject(event.Object)) {
			t.Errorf("a watch from before the restart begins with %v", event)
		}
	})
}

func open(t testing.TB, file string) *etcd.Client {
	t.Helper()
	data, err := memetcd.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLeaseOfFile opens a file again whose key has a lease, as those of events have.
func TestLeaseOfFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "objects")
	data := open(t, file)
	lease, err := data.Grant(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := data.Kubernetes.OptimisticPut(t.Context(), "/a", []byte("value"), 0, etcd.PutOptions{LeaseID: lease.ID}); err != nil {
		t.Fatal(err)
	}
	if err := data.Close(); err != nil {
		t.Fatal(err)
	}
	data = open(t, file)
	defer func() { _ = data.Close() }()
	for keys, wait := int64(1), time.Now().Add(10*time.Second); keys > 0; time.Sleep(10 * time.Millisecond) {
		found, err := data.KV.Get(t.Context(), "/a")
		if err != nil || time.Now().After(wait) {
			t.Fatalf("the key with a lease of a second is there: %v, %v", found, err)
		}
		keys = found.Count
	}
	if next, err := data.Grant(t.Context(), 1); err != nil || next.ID == lease.ID {
		t.Errorf("the next lease is %v, %v, after %v", next, err, lease.ID)
	}
}
