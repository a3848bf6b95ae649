//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
)

// Options configures a store. All fields are optional.
type Options struct {
	// Quota limits the size of the store in bytes: files in blocks of 4 KiB, and the values
	// in other stores. 0 means no limit. A memory store has a limit of its own.
	Quota int64
	Log   *slog.Logger
}

// opener opens a store.
type opener func(context.Context) (Store, error)

// Open opens the store at an address:
//
//	file:///data/links            a folder with a file for each link; file:links is a
//	                              relative path
//	postgres://user@host/database PostgreSQL, with any connection parameter of pgx
//	memory:                       memory of the process
//	none                          no store; the result is nil
func Open(ctx context.Context, address string, o Options) (Store, error) {
	open, err := prepare(address, &o)
	if err != nil || open == nil {
		return nil, err
	}
	return open(ctx)
}

// OpenInBackground returns the store at an address without waiting for it: see [Open]. It
// returns an error only if the address is invalid. While the store cannot be opened, its
// operations fail with [ErrUnavailable].
func OpenInBackground(address string, o Options) (Store, error) {
	open, err := prepare(address, &o)
	if err != nil || open == nil {
		return nil, err
	}
	return newBackground(open, o.Log), nil
}

// Probe returns an error if the folder of a store cannot be opened, for example because
// another process has opened it. It creates the folder if necessary.
func Probe(address string) error {
	path, err := parseFolder(address)
	if err != nil {
		return err
	}
	lock, err := lockFolder(path)
	if err != nil {
		return err
	}
	return lock.Close()
}

// prepare returns the function that opens the store at an address, or nil for no store.
func prepare(address string, o *Options) (opener, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	options := *o
	scheme, _, _ := strings.Cut(address, ":")
	switch scheme {
	case "none":
		return nil, nil
	case "memory":
		return func(context.Context) (Store, error) { return newMemory(memoryQuota(options.Quota)), nil }, nil
	case "file":
		path, err := parseFolder(address)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (Store, error) { return openFolder(ctx, path, options) }, nil
	case "postgres", "postgresql":
		return preparePostgres(address, options)
	}
	// The error omits the address, which may contain a password.
	return nil, errors.New("invalid store address: it must start with file:, postgres: or memory:, or be none")
}

// memoryQuota returns the limit of a memory store with this quota.
func memoryQuota(quota int64) int {
	if quota > 0 {
		return int(min(quota, memoryLimit))
	}
	return memoryLimit
}

func isFolder(address string) bool { return strings.HasPrefix(address, "file:") }

// parseFolder returns the folder of a store.
func parseFolder(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("parse the store address: %w", err)
	}
	path := parsed.Path + parsed.Opaque
	if path == "" || parsed.Host != "" {
		return "", fmt.Errorf("the store address %q has no path: use file:///path/to/folder", address)
	}
	return filepath.Clean(path), nil
}
