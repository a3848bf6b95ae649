package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

// TestDataOfKilledServer kills a server while clients write, and compares what the next server with
// the same directory has with what the clients know.
func TestDataOfKilledServer(t *testing.T) {
	const writers, requests = 4, 400
	directory := t.TempDir()
	kill, client := beginWithData(t, directory)
	var done atomic.Int64
	written := make([]*writer, writers)
	var running sync.WaitGroup
	for i := range written {
		written[i] = &writer{objects: client, known: map[string]string{}}
		running.Go(func() {
			for n := 0; written[i].write(fmt.Sprintf("of-%d-%d", i, n), n%3 == 0, &done); n++ {
			}
		})
	}
	eventually(t, func() bool { return done.Load() > requests })
	kill()
	running.Wait()

	_, client = beginWithData(t, directory)
	list, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, object := range list.Items {
		found[object.Name] = object.Data["value"]
	}
	known := map[string]string{}
	for _, w := range written {
		maps.Copy(known, w.known)
		delete(known, w.unknown)
		delete(found, w.unknown)
	}
	if !maps.Equal(found, known) {
		t.Errorf("the server has %v, and the clients know %v", found, known)
	}
	if len(known) < requests/6 {
		t.Errorf("the clients know %d objects only", len(known))
	}
}

// A writer creates, updates and deletes objects.
type writer struct {
	objects typedcorev1.ConfigMapInterface
	// known has the value of each object according to the last answer.
	known map[string]string
	// unknown is the object of the request that had no answer.
	unknown string
}

// write creates and updates an object, and deletes it if it is told to. It reports whether each
// request had an answer.
func (w *writer) write(name string, deletes bool, done *atomic.Int64) bool {
	ctx := context.Background()
	w.unknown = name
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"value": "created"}}
	object, err := w.objects.Create(ctx, object, metav1.CreateOptions{})
	if err != nil {
		return false
	}
	done.Add(1)
	object.Data["value"] = "updated"
	if _, err = w.objects.Update(ctx, object, metav1.UpdateOptions{}); err != nil {
		return false
	}
	done.Add(1)
	w.known[name] = "updated"
	if deletes {
		if err := w.objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return false
		}
		delete(w.known, name)
		done.Add(1)
	}
	return true
}

// beginWithData starts a server that keeps its objects in a directory, and waits until it is ready.
func beginWithData(t *testing.T, directory string) (kill func(), client typedcorev1.ConfigMapInterface) {
	t.Helper()
	kubeconfig := filepath.Join(directory, "kubeconfig")
	_ = os.Remove(kubeconfig)
	command := exec.CommandContext(context.Background(), "crdlab", "apiserver", "--data", directory)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	t.Cleanup(kill)
	eventually(t, func() bool {
		config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
		if err != nil {
			return false
		}
		config.QPS = -1
		all, err := typedcorev1.NewForConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		client = all.ConfigMaps(metav1.NamespaceDefault)
		return true
	})
	return kill, client
}
