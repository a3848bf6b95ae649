//go:build !js

package share_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

func open(t *testing.T, address string) share.Store {
	t.Helper()
	store, err := share.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

// testStore runs all store cases on an empty store.
func testStore(t *testing.T, store share.Store) {
	t.Helper()
	for _, c := range append(storetest.SweepCases, storetest.Cases...) {
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Run(t.Context(), store); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestMemory(t *testing.T) { testStore(t, open(t, "memory:")) }

func TestFile(t *testing.T) {
	testStore(t, open(t, "bbolt://"+filepath.Join(t.TempDir(), "crdlab.db")))
}

func TestFileIsPersistent(t *testing.T) {
	address := "bbolt://" + filepath.Join(t.TempDir(), "crdlab.db")
	first, err := share.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Put(t.Context(), "id", []byte("value"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if value, _, err := open(t, address).Get(t.Context(), "id"); err != nil || string(value) != "value" {
		t.Errorf("got %q, %v", value, err)
	}
}

func TestFileIsLocked(t *testing.T) {
	address := "bbolt://" + filepath.Join(t.TempDir(), "crdlab.db")
	open(t, address)
	if _, err := share.Open(t.Context(), address); err == nil || !strings.Contains(err.Error(), "timeout") {
		t.Errorf("opened twice: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	notAStore := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(notAStore, []byte(strings.Repeat("text", 4096)), 0o600); err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"":                                  "must start with",
		"redis://secret":                    "must start with",
		"bbolt:":                            "has no file path",
		"bbolt://data/crdlab.db":            "has no file path",
		"bbolt:///nowhere/crdlab.db":        "no such file or directory",
		"bbolt://" + notAStore:              "invalid database",
		"postgres://user:secret@:port/name": "open the store",
	} {
		_, err := share.Open(t.Context(), address)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q and no secret", address, err, want)
		}
	}
}

func TestNoStore(t *testing.T) {
	if store, err := share.Open(t.Context(), "none"); store != nil || err != nil {
		t.Errorf("got %v, %v", store, err)
	}
}

func TestCanceledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	store := open(t, "bbolt://"+filepath.Join(t.TempDir(), "crdlab.db"))
	if err := store.Put(ctx, "id", nil, time.Time{}); !errors.Is(err, context.Canceled) {
		t.Errorf("put: %v", err)
	}
	if _, _, err := store.Get(t.Context(), "id"); !errors.Is(err, share.ErrNotFound) {
		t.Errorf("get: %v", err)
	}
}

func TestSweepRunsPeriodically(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := share.NewMemory()
		put := func(id string, lifetime time.Duration) {
			if err := store.Put(ctx, id, []byte("value"), time.Now().Add(lifetime)); err != nil {
				t.Fatal(err)
			}
		}
		var log strings.Builder
		put("over", -time.Minute)
		put("soon", time.Minute)
		ended := make(chan struct{})
		go func() {
			share.Sweep(ctx, store, time.Hour, slog.New(slog.NewTextHandler(&log, nil)))
			close(ended)
		}()
		time.Sleep(90 * time.Minute)
		cancel()
		<-ended
		if got := strings.Count(log.String(), "count=1"); got != 2 {
			t.Errorf("the log has %d sweeps, want 2:\n%s", got, &log)
		}
	})
}
