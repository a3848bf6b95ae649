package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/crdlab/crdlab/internal/share/storetest"
)

// replica serves with a store until the test ends.
func replica(t *testing.T, store string) *app {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	sharing, closeStore, err := openSharing(ctx, settings{store: store}, func(string) string { return "" }, log)
	if err != nil {
		t.Error(err)
		return nil
	}
	app, err := newApp("127.0.0.1:0", "", appConfig{assets: fstest.MapFS{}, sharing: sharing, log: log})
	if err != nil {
		t.Error(err)
		return nil
	}
	ended := make(chan error, 1)
	go func() { ended <- app.serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		closeStore()
	})
	return app
}

// TestReplicasLoseNoLink starts two servers concurrently with an empty database and
// restarts the database during requests. Each server must serve the links that the
// other one created.
func TestReplicasLoseNoLink(t *testing.T) {
	database := storetest.StartPostgres(t)
	var replicas [2]*app
	var starting sync.WaitGroup
	for i := range replicas {
		starting.Go(func() { replicas[i] = replica(t, database.URL) })
	}
	starting.Wait()
	if t.Failed() {
		return
	}

	const sharers = 4
	links := make([]map[string]string, sharers)
	stop := make(chan struct{})
	var sharing sync.WaitGroup
	for i := range sharers {
		sharing.Go(func() { links[i] = shareUntil(t, stop, replicas[i%2].url(), fmt.Sprintf("sharer-%d", i)) })
	}
	time.Sleep(200 * time.Millisecond)
	database.Stop(t)
	time.Sleep(300 * time.Millisecond)
	database.Run(t)
	time.Sleep(200 * time.Millisecond)
	close(stop)
	sharing.Wait()

	for i, made := range links {
		if len(made) == 0 {
			t.Errorf("sharer %d made no link", i)
		}
		for id, crd := range made {
			if got := sharedCRD(t, replicas[(i+1)%2].url(), id); got != crd {
				t.Errorf("%s leads to %q, want %q", id, got, crd)
			}
		}
	}
}

// shareUntil shares scenarios until stop is closed and the last one is stored. It returns
// the CRDs by id. While the store is unavailable, it tries again.
func shareUntil(t *testing.T, stop <-chan struct{}, url, name string) map[string]string {
	links := map[string]string{}
	isStored := false
	for i := 0; ; i++ {
		select {
		case <-stop:
			if isStored {
				return links
			}
		default:
		}
		crd := fmt.Sprintf("%s: %d", name, i)
		body, err := json.Marshal(map[string]string{"crd": crd})
		if err != nil {
			t.Error(err)
			return links
		}
		response, err := http.Post(url+"/api/v1/share", "application/json", bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return links
		}
		var answer struct{ ID string }
		err = json.NewDecoder(response.Body).Decode(&answer)
		_ = response.Body.Close()
		isStored = response.StatusCode == http.StatusCreated
		if response.StatusCode == http.StatusServiceUnavailable {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		if err != nil || !isStored {
			t.Errorf("status %d, %v", response.StatusCode, err)
			return links
		}
		links[answer.ID] = crd
	}
}

func sharedCRD(t *testing.T, url, id string) string {
	t.Helper()
	response, err := http.Get(url + "/api/v1/share/" + id)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	var scenario struct{ CRD string }
	if err := json.Unmarshal(body, &scenario); err != nil {
		t.Errorf("%s: %s", id, body)
	}
	return scenario.CRD
}
