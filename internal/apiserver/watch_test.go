package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// TestWatchers changes objects while many clients watch them. Each client must receive each change
// once, in the order of the changes. As with any API server, a watch that falls behind ends, and the
// client continues at the last revision that it knows.
func TestWatchers(t *testing.T) {
	watchers, objects, changes := 100, 1000, 10_000
	if testing.Short() {
		watchers, objects, changes = 20, 50, 500
	}
	const writers = 4
	_, creator, client := start(t, Options{})
	for i := range objects {
		if err := creator.Create(t.Context(), disk("default", fmt.Sprintf("a-%d", i), "{}")); err != nil {
			t.Fatal(err)
		}
	}
	list, err := client.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
	defer stop()
	received := make([][]int, watchers)
	var watching sync.WaitGroup
	for i := range watchers {
		events, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &cache.ListWatch{WatchFuncWithContext: client.Watch})
		if err != nil {
			t.Fatal(err)
		}
		watching.Go(func() { received[i] = revisions(events, changes) })
	}
	made := make([][]int, writers)
	var writing sync.WaitGroup
	for i := range writers {
		writing.Go(func() { made[i] = change(ctx, t, client, i, objects, changes/writers) })
	}
	writing.Wait()
	want := slices.Sorted(slices.Values(slices.Concat(made...)))
	watching.Wait()
	for i, got := range received {
		if !slices.Equal(got, want) {
			t.Errorf("watcher %d has %d changes, the last %v; want %d, the last %v", i, len(got), got[max(0, len(got)-1):], len(want), want[max(0, len(want)-1):])
		}
	}
}

// revisions returns the resource versions of the next n events, or of those until the watch ends.
func revisions(events watch.Interface, n int) (all []int) {
	defer events.Stop()
	for event := range events.ResultChan() {
		object, ok := event.Object.(metav1.Object)
		if !ok || event.Type != watch.Modified {
			return all
		}
		revision, _ := strconv.Atoi(object.GetResourceVersion())
		if all = append(all, revision); len(all) == n {
			return all
		}
	}
	return all
}

// change changes objects n times, and returns the resource versions of the answers.
func change(ctx context.Context, t *testing.T, client dynamic.ResourceInterface, writer, objects, n int) (all []int) {
	for i := range n {
		patch := fmt.Appendf(nil, `{"spec":{"note":"%d of %d"}}`, i, writer)
		object, err := client.Patch(ctx, fmt.Sprintf("a-%d", (i*7+writer)%objects), types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			t.Error(err)
			return all
		}
		revision, _ := strconv.Atoi(object.GetResourceVersion())
		all = append(all, revision)
	}
	return all
}
