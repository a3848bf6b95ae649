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
	"github.com/crdlab/crdlab/internal/share/postgrestest"
)

func TestPostgres(t *testing.T) {
	server := postgrestest.Start(t)
	t.Run("concurrent start", func(t *testing.T) { testConcurrentStart(t, server) })
	t.Run("store cases", func(t *testing.T) { testStore(t, open(t, server.URL)) })
	t.Run("two processes", func(t *testing.T) { testTwoProcesses(t, server) })
	t.Run("database restart", func(t *testing.T) { testRestart(t, server) })
	t.Run("late database start", func(t *testing.T) { testLateStart(t, server) })
	t.Run("unknown database fails immediately", func(t *testing.T) {
		start := time.Now()
		_, err := share.Open(t.Context(), server.URL+"&dbname=nothing")
		if err == nil || time.Since(start) > 10*time.Second {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
	})
}

// testConcurrentStart opens an empty database from several goroutines.
func testConcurrentStart(t *testing.T, server *postgrestest.Server) {
	const processes = 8
	stores, errs := make([]share.Store, processes), make([]error, processes)
	var group sync.WaitGroup
	for i := range processes {
		group.Go(func() { stores[i], errs[i] = share.Open(t.Context(), server.URL) })
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
	if err != nil || migrations != 1 || tables != 2 {
		t.Errorf("%d migrations, %d tables, %v", migrations, tables, err)
	}
}

func testTwoProcesses(t *testing.T, server *postgrestest.Server) {
	first, second := open(t, server.URL), open(t, server.URL)
	if err := first.Put(t.Context(), "seen", []byte("value"), time.Time{}); err != nil {
		t.Fatal(err)
	}
	if value, _, err := second.Get(t.Context(), "seen"); err != nil || string(value) != "value" {
		t.Errorf("got %q, %v", value, err)
	}
}

// testRestart restarts the database during writes and reads.
func testRestart(t *testing.T, server *postgrestest.Server) {
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
func testLateStart(t *testing.T, server *postgrestest.Server) {
	server.Stop(t)
	opened := make(chan error, 1)
	go func() {
		store, err := share.Open(context.Background(), server.URL)
		if err == nil {
			err = store.Close()
		}
		opened <- err
	}()
	select {
	case err := <-opened:
		t.Errorf("opened without a database: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	server.Run(t)
	if err := <-opened; err != nil {
		t.Error(err)
	}
}
