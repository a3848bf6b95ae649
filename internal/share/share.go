// Package share stores scenarios for short links. A store holds only the inputs of
// a scenario: no results, and nothing about its author.
package share

import (
	"context"
	"errors"
	"io"
	"time"
)

// Store maps ids to UTF-8 values. It is safe for concurrent use.
type Store interface {
	// Put stores a value until expires, or without expiry for the zero time. After
	// it returns nil, the value survives a crash. For an existing id, Put keeps the
	// stored value and the later expiry.
	Put(ctx context.Context, id string, value []byte, expires time.Time) error

	// Get returns an unexpired value and its expiry, which is zero for never. It
	// returns [ErrNotFound] if there is no such value, and [ErrDamaged] if it was changed
	// outside the store. Put replaces a damaged value.
	Get(ctx context.Context, id string) (value []byte, expires time.Time, err error)

	// Extend moves the expiry of a value to a later time. It ignores missing values
	// and values that expire later.
	Extend(ctx context.Context, id string, expires time.Time) error

	// Delete removes a value. A missing value is not an error.
	Delete(ctx context.Context, id string) error

	// DeleteExpired removes the values that expired before now and returns their
	// number. Stores with automatic expiry return 0.
	DeleteExpired(ctx context.Context, now time.Time) (int, error)

	// ExpireAll gives an expiry to all values without one and returns their number.
	ExpireAll(ctx context.Context, expires time.Time) (int, error)

	// Backup writes an export of a store in files to the result of start, while the store
	// is in use. For other stores, it returns [errors.ErrUnsupported] and does not call
	// start.
	Backup(ctx context.Context, start func() io.Writer) error

	Close() error
}

var (
	// ErrNotFound is the error for an id without an unexpired value.
	ErrNotFound = errors.New("no such shared scenario")
	// ErrFull is the error of a store that has reached its quota or has no free space.
	ErrFull = errors.New("the store is full")
	// ErrReadOnly is the error of a store that can be read but not written.
	ErrReadOnly = errors.New("the store is read-only")
	// ErrUnavailable is the error of a store that is not open, or that currently fails.
	ErrUnavailable = errors.New("the store is unavailable")
	// ErrInUse is the error of a store whose files another process has opened.
	ErrInUse = errors.New("another process uses the store")
	// ErrDamaged is the error for an id whose value is damaged. Other values are not affected.
	ErrDamaged = errors.New("the shared scenario is damaged")
)

// hasExpired reports whether an expiry is reached. The zero time never expires.
func hasExpired(expires, now time.Time) bool {
	return !expires.IsZero() && !now.Before(expires)
}

// later returns the later of two expiries. The zero time means never.
func later(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return time.Time{}
	}
	if a.After(b) {
		return a
	}
	return b
}

// ceilSecond rounds a time up to a full second, the resolution of all stores.
func ceilSecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	rounded := t.Truncate(time.Second)
	if rounded.Before(t) {
		rounded = rounded.Add(time.Second)
	}
	return rounded.UTC()
}
