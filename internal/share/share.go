// Package share keeps scenarios for short links: what a link leads to is the
// inputs of a scenario, never a result, and nothing about who shared it.
package share

import (
	"context"
	"errors"
	"time"
)

// Store keeps values, texts in UTF-8, by their ids. It is safe for concurrent use.
type Store interface {
	// Put keeps a value until expires; the zero time means for ever. Once it
	// has returned nil the value survives a crash. An id that is there already
	// keeps its value, and the later of the two times.
	Put(ctx context.Context, id string, value []byte, expires time.Time) error

	// Get returns a value that has not expired yet and the time when it will,
	// zero for never, or [ErrNotFound].
	Get(ctx context.Context, id string) (value []byte, expires time.Time, err error)

	// Delete removes a value; there need not be one.
	Delete(ctx context.Context, id string) error

	// DeleteExpired removes what expired before now and returns how many
	// values that were. A store that removes them by itself returns 0.
	DeleteExpired(ctx context.Context, now time.Time) (int, error)

	Close() error
}

// ErrNotFound says that there is no value with an id, or not any more.
var ErrNotFound = errors.New("no such shared scenario")

// ErrFull says that a store has no room left.
var ErrFull = errors.New("the store is full")

// hasExpired reports whether a value is over at an instant.
func hasExpired(expires, now time.Time) bool {
	return !expires.IsZero() && !now.Before(expires)
}

// later is the time of the two that keeps a value longer; zero means for ever.
func later(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return time.Time{}
	}
	if a.After(b) {
		return a
	}
	return b
}

// wholeSeconds rounds a time up: no store keeps fractions of seconds.
func wholeSeconds(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	whole := t.Truncate(time.Second)
	if whole.Before(t) {
		whole = whole.Add(time.Second)
	}
	return whole.UTC()
}
