//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// openWait is the time for which an operation waits for the first attempt to open
	// the store, so that a request right after the start does not fail.
	openWait = 3 * time.Second
	// firstPause and longestPause limit the pause between attempts to open the store.
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
)

// background is a store that is opened in the background.
type background struct {
	open opener
	log  *slog.Logger
	// stop ends the attempts to open the store.
	stop context.CancelFunc
	ctx  context.Context

	mu    sync.Mutex
	store Store // nil while it is not open
	// failure is the result of the last failed attempt.
	failure error
	// tried is closed after the first attempt.
	tried  chan struct{}
	closed bool
	// ended is closed when no attempt is in progress.
	ended chan struct{}
}

func newBackground(open opener, log *slog.Logger) *background {
	ctx, stop := context.WithCancel(context.Background())
	b := &background{open: open, log: log, ctx: ctx, stop: stop, tried: make(chan struct{}), ended: make(chan struct{})}
	go b.attempt()
	return b
}

// attempt opens the store. It retries until it succeeds or the store is closed.
func (b *background) attempt() {
	defer close(b.ended)
	first := sync.OnceFunc(func() { close(b.tried) })
	defer first()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		start := time.Now()
		store, err := b.open(b.ctx)
		if b.finish(store, err) {
			return
		}
		first()
		select {
		case <-b.ctx.Done():
			return
		// An import that fails can take long: it must not keep the disk busy.
		case <-time.After(max(pause, time.Since(start))):
		}
	}
}

// finish records the result of an attempt, and reports whether it was the last.
func (b *background) finish(store Store, err error) (isLast bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case err == nil && b.closed:
		_ = store.Close()
		return true
	case b.closed:
		return true
	case err != nil:
		if b.failure == nil || b.failure.Error() != err.Error() {
			b.log.Error("the short-link store cannot be opened, and links are unavailable until it can", "error", err)
		}
		b.failure = err
		return false
	case b.failure != nil:
		b.log.Info("the short-link store is available again")
	}
	b.store, b.failure = store, nil
	return true
}

// opened returns the store. It waits for the first attempt to open it, but not long.
func (b *background) opened(ctx context.Context) (Store, error) {
	b.mu.Lock()
	store, failure := b.store, b.failure
	b.mu.Unlock()
	if store != nil {
		return store, nil
	}
	if failure != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, failure)
	}
	select {
	case <-b.tried:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(openWait):
		return nil, fmt.Errorf("%w: it is being opened", ErrUnavailable)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.store == nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, errors.Join(b.failure, b.ctx.Err()))
	}
	return b.store, nil
}

// do runs an operation on the open store.
func (b *background) do(ctx context.Context, operate func(Store) error) error {
	store, err := b.opened(ctx)
	if err != nil {
		return err
	}
	return operate(store)
}

func (b *background) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	return b.do(ctx, func(s Store) error { return s.Put(ctx, id, value, expires) })
}

func (b *background) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	err = b.do(ctx, func(s Store) (err error) {
		value, expires, err = s.Get(ctx, id)
		return err
	})
	return value, expires, err
}

func (b *background) Extend(ctx context.Context, id string, expires time.Time) error {
	return b.do(ctx, func(s Store) error { return s.Extend(ctx, id, expires) })
}

func (b *background) Delete(ctx context.Context, id string) error {
	return b.do(ctx, func(s Store) error { return s.Delete(ctx, id) })
}

func (b *background) DeleteExpired(ctx context.Context, now time.Time) (n int, err error) {
	err = b.do(ctx, func(s Store) (err error) {
		n, err = s.DeleteExpired(ctx, now)
		return err
	})
	return n, err
}

func (b *background) ExpireAll(ctx context.Context, expires time.Time) (n int, err error) {
	err = b.do(ctx, func(s Store) (err error) {
		n, err = s.ExpireAll(ctx, expires)
		return err
	})
	return n, err
}

func (b *background) Backup(ctx context.Context, start func() io.Writer) error {
	return b.do(ctx, func(s Store) error { return s.Backup(ctx, start) })
}

// Close ends the attempts to open the store, and closes it if it is open.
func (b *background) Close() error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.stop()
	<-b.ended
	b.mu.Lock()
	defer b.mu.Unlock()
	store := b.store
	b.store = nil
	if store == nil {
		return nil
	}
	return store.Close()
}
