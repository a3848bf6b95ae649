//go:build !js

package share_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

// TestDatabaseOutage interrupts the connection to a database in several ways. Operations
// must fail at once after the first ones, and succeed again without help.
func TestDatabaseOutage(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	link, value := scenario(1, 10)
	for _, mode := range []proxyMode{refusing, stalled} {
		proxy, url := startProxy(t, server.URL)
		proxy.set(mode)
		var log bytes.Buffer
		store, err := share.OpenInBackground(url, share.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := store.Get(t.Context(), link); !errors.Is(err, share.ErrUnavailable) {
			t.Errorf("mode %d, outage at the start: %v", mode, err)
		}
		proxy.set(passing)
		waitFor(t, func() error { return store.Put(t.Context(), link, value, time.Time{}) })

		proxy.set(mode)
		failUntilOpen(t, store)
		// 2 MiB per request would exhaust the memory if requests waited.
		for range 200 {
			if err := store.Put(t.Context(), link, value, time.Time{}); !errors.Is(err, share.ErrUnavailable) {
				t.Errorf("mode %d: an operation during the outage was tried: %v", mode, err)
			}
		}
		proxy.set(passing)
		waitFor(t, func() error {
			got, _, err := store.Get(t.Context(), link)
			if err == nil && !bytes.Equal(got, value) {
				t.Errorf("mode %d: got %d bytes after the outage", mode, len(got))
			}
			return err
		})
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		if got := strings.Count(log.String(), "level=ERROR"); got > 3 || !strings.Contains(log.String(), "available again") {
			t.Errorf("mode %d: the log has %d errors:\n%s", mode, got, &log)
		}
	}
}

// failUntilOpen sends concurrent operations until the circuit breaker opens.
func failUntilOpen(t *testing.T, store share.Store) {
	t.Helper()
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			if _, _, err := store.Get(t.Context(), "any"); err == nil {
				t.Error("an operation succeeded during the outage")
			}
		})
	}
	group.Wait()
}

// TestReadOnlyDatabase switches a database to read-only. Links can be read, also after a restart
// of the server.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	link, value := scenario(1, 10)
	first := open(t, server.URL)
	if err := first.Put(t.Context(), link, value, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	if _, err := connection.Exec(t.Context(), `ALTER DATABASE postgres SET default_transaction_read_only = on`); err != nil {
		t.Fatal(err)
	}
	store := open(t, server.URL)
	other, otherValue := scenario(2, 10)
	for range 10 {
		if err := store.Put(t.Context(), other, otherValue, time.Time{}); !errors.Is(err, share.ErrReadOnly) {
			t.Errorf("put: %v", err)
		}
		if err := store.Extend(t.Context(), link, time.Now().Add(2*time.Hour)); !errors.Is(err, share.ErrReadOnly) {
			t.Errorf("extend: %v", err)
		}
		if got, _, err := store.Get(t.Context(), link); err != nil || !bytes.Equal(got, value) {
			t.Errorf("get: %d bytes, %v", len(got), err)
		}
	}
	if _, err := connection.Exec(t.Context(), `SET default_transaction_read_only = off; ALTER DATABASE postgres RESET default_transaction_read_only`); err != nil {
		t.Fatal(err)
	}
	again := open(t, server.URL)
	if err := again.Put(t.Context(), other, otherValue, time.Time{}); err != nil {
		t.Errorf("put after the database became writable: %v", err)
	}
}

// TestSlowDatabase locks the counter, so that all writes wait. Reads must still succeed, and
// writes must end.
func TestSlowDatabase(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	link, value := scenario(1, 10)
	store := open(t, server.URL)
	if err := store.Put(t.Context(), link, value, time.Time{}); err != nil {
		t.Fatal(err)
	}
	connection, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	locked, err := connection.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := locked.Exec(t.Context(), `SELECT bytes FROM crdlab_usage FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	other, otherValue := scenario(2, 10)
	if err := store.Put(t.Context(), other, otherValue, time.Time{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("put in a locked database: %v", err)
	}
	if got, _, err := store.Get(t.Context(), link); err != nil || !bytes.Equal(got, value) {
		t.Errorf("get from a locked database: %d bytes, %v", len(got), err)
	}
	if err := locked.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() error { return store.Put(t.Context(), other, otherValue, time.Time{}) })
}

// TestVerifiedDatabase connects to a database whose certificate is self-signed, as the
// examples in deploy do.
func TestVerifiedDatabase(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	certificate := server.EnableTLS(t, "localhost")
	verified := strings.Replace(server.URL, "sslmode=disable", "sslmode=verify-full&sslrootcert="+certificate, 1)
	if _, err := share.Open(t.Context(), verified, share.Options{}); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate for another host is accepted: %v", err)
	}
	open(t, strings.Replace(verified, "127.0.0.1", "localhost", 1))
}
