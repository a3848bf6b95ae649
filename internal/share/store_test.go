//go:build !js

package share_test

import (
	"context"
	"errors"
	"fmt"
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
	store, err := share.Open(t.Context(), address, share.Options{})
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
	testStore(t, open(t, "file://"+filepath.Join(fastDirectory(t), "links")))
}

func TestQuota(t *testing.T) {
	const quota = 4 << 20
	for _, address := range []string{"memory:", "file://" + filepath.Join(t.TempDir(), "links")} {
		testQuota(t, address, quota)
	}
}

func testQuota(t *testing.T, address string, quota int64) {
	t.Helper()
	store, err := share.Open(t.Context(), address, share.Options{Quota: quota})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(storetest.Quota(t.Context(), store), store.Close()); err != nil {
		t.Errorf("%s: %v", address, err)
	}
}

// TestSweepLimitsLifetime stores a link without an expiry. It expires after the lifetime of a
// server that has one.
func TestSweepLimitsLifetime(t *testing.T) {
	store := open(t, "file://"+filepath.Join(fastDirectory(t), "links"))
	id, value := scenario(1, 1)
	if err := store.Put(t.Context(), id, value, time.Time{}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	swept := make(chan struct{})
	start := time.Now()
	go func() {
		share.Sweep(ctx, store, time.Hour, 48*time.Hour, slog.New(slog.DiscardHandler))
		close(swept)
	}()
	waitFor(t, func() error {
		_, expires, err := store.Get(t.Context(), id)
		if left := expires.Sub(start); err == nil && (left < 48*time.Hour || left > 49*time.Hour) {
			err = fmt.Errorf("it expires at %v", expires)
		}
		return err
	})
	stop()
	<-swept
}

func TestFileIsPersistent(t *testing.T) {
	address := "file://" + filepath.Join(t.TempDir(), "links")
	first, err := share.Open(t.Context(), address, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	id, want := scenario(1, 1)
	if err := first.Put(t.Context(), id, want, time.Time{}); err != nil {
		t.Fatal(err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if value, _, err := open(t, address).Get(t.Context(), id); err != nil || string(value) != string(want) {
		t.Errorf("got %q, %v", value, err)
	}
}

func TestFileIsLocked(t *testing.T) {
	address := "file://" + filepath.Join(t.TempDir(), "links")
	open(t, address)
	if _, err := share.Open(t.Context(), address, share.Options{}); !errors.Is(err, share.ErrInUse) {
		t.Errorf("opened twice: %v", err)
	}
}

func TestOpenErrors(t *testing.T) {
	notAStore := filepath.Join(t.TempDir(), "text")
	later := filepath.Join(t.TempDir(), "later")
	err := errors.Join(
		os.WriteFile(notAStore, nil, 0o600),
		os.Mkdir(later, 0o700),
		os.WriteFile(filepath.Join(later, "lock"), []byte("crdlab links 2\n"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{
		"":                                  "must start with",
		"redis://secret":                    "must start with",
		"file:":                             "has no path",
		"file://data/links":                 "has no path",
		"file:///nowhere/links":             "no such file or directory",
		"file://" + notAStore:               "not a directory",
		"file://" + later:                   "unknown format",
		"postgres://user:secret@:port/name": "open the store",
	} {
		_, err := share.Open(t.Context(), address, share.Options{})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v, want %q and no secret", address, err, want)
		}
	}
}

func TestNoStore(t *testing.T) {
	if store, err := share.Open(t.Context(), "none", share.Options{}); store != nil || err != nil {
		t.Errorf("got %v, %v", store, err)
	}
}

func TestCanceledContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	store := open(t, "file://"+filepath.Join(t.TempDir(), "links"))
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
			share.Sweep(ctx, store, time.Hour, 0, slog.New(slog.NewTextHandler(&log, nil)))
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
