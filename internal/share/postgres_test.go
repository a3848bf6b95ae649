//go:build !js

package share_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := storetest.StartPostgres(t)
	t.Run("concurrent start", func(t *testing.T) { testConcurrentStart(t, server) })
	t.Run("store cases", func(t *testing.T) { testStore(t, open(t, server.URL)) })
	t.Run("two processes", func(t *testing.T) { testTwoProcesses(t, server) })
	t.Run("quota", func(t *testing.T) {
		store := open(t, server.URL)
		if _, err := store.ExpireAll(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
		if _, err := store.DeleteExpired(t.Context(), time.Now().Add(10000*time.Hour)); err != nil {
			t.Fatal(err)
		}
		testQuota(t, server.URL, 4<<20)
		testCounter(t, server)
	})
	t.Run("database restart", func(t *testing.T) { testRestart(t, server) })
	t.Run("late database start", func(t *testing.T) { testLateStart(t, server) })
	t.Run("unknown database fails immediately", func(t *testing.T) {
		start := time.Now()
		_, err := share.Open(t.Context(), server.URL+"&dbname=nothing", share.Options{})
		if err == nil || time.Since(start) > 10*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// testConcurrentStart opens an empty database from several goroutines.
func testConcurrentStart(t *testing.T, server *storetest.Postgres) {
	const processes = 8
	stores, errs := make([]share.Store, processes), make([]error, processes)
	var group sync.WaitGroup
	for i := range processes {
		group.Go(func() { stores[i], errs[i] = share.Open(t.Context(), server.URL, share.Options{}) })
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for _, store := range stores {
		_ = store.Close()
	}
	connection, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	var migrations, tables int
	err = connection.QueryRow(t.Context(), `SELECT
		(SELECT count(*) FROM crdlab_migrations),
		(SELECT count(*) FROM pg_tables WHERE tablename LIKE 'crdlab_%')`).Scan(&migrations, &tables)
	if err != nil || migrations != 1 || tables != 3 {
		t.Errorf("%d migrations, %d tables, %v", migrations, tables, err)
	}
}

// testCounter compares the counter of the bytes with the stored values.
func testCounter(t *testing.T, server *storetest.Postgres) {
	connection, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close(context.Background())
	var counted, stored int
	err = connection.QueryRow(t.Context(), `SELECT
		(SELECT bytes FROM crdlab_usage),
		(SELECT coalesce(sum(octet_length(value) + 256), 0) FROM crdlab_scenarios)`).Scan(&counted, &stored)
	if err != nil || counted != stored {
		t.Errorf("counted %d bytes, stored %d, %v", counted, stored, err)
	}
}

func testTwoProcesses(t *testing.T, server *storetest.Postgres) {
	first, second := open(t, server.URL), open(t, server.URL)
	if err := first.Put(t.Context(), "seen", []byte("value"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if value, _, err := second.Get(t.Context(), "seen"); err != nil || string(value) != "value" {
		t.Errorf("got %q, %v", value, err)
	}
}

// testRestart restarts the database during writes and reads.
func testRestart(t *testing.T, server *storetest.Postgres) {
	store := open(t, server.URL)
	stop, errs := make(chan struct{}), make(chan error, 4)
	var group sync.WaitGroup
	for writer := range 4 {
		group.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprintf("survivor-%d-%d", writer, i)
				if err := store.Put(t.Context(), id, []byte(id), time.Time{}); err != nil {
					errs <- err
					return
				}
				if value, _, err := store.Get(t.Context(), id); err != nil || string(value) != id {
					errs <- fmt.Errorf("got %q, %w", value, err)
					return
				}
			}
		})
	}
	time.Sleep(200 * time.Millisecond)
	server.Stop(t)
	time.Sleep(300 * time.Millisecond)
	server.Run(t)
	time.Sleep(300 * time.Millisecond)
	close(stop)
	group.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
}

// testLateStart opens a store before its database starts.
func testLateStart(t *testing.T, server *storetest.Postgres) {
	server.Stop(t)
	store, err := share.OpenInBackground(server.URL, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Delete(t.Context(), "id"); !errors.Is(err, share.ErrUnavailable) {
		t.Errorf("without a database: %v", err)
	}
	server.Run(t)
	waitFor(t, func() error { return store.Delete(t.Context(), "id") })
}

// waitFor repeats an operation until it succeeds.
func waitFor(t *testing.T, try func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil {
			return
		}
	}
	t.Error(err)
}
