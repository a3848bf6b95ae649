//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Open opens the store that an address names:
//
//	bbolt:///data/crdlab.db       one file; bbolt:crdlab.db is relative
//	postgres://user@host/database PostgreSQL; all of pgx's parameters work
//	memory:                       forgotten when the process ends
//	none                          no store: nil
func Open(ctx context.Context, address string) (Store, error) {
	scheme, _, _ := strings.Cut(address, ":")
	switch scheme {
	case "none":
		return nil, nil
	case "memory":
		return NewMemory(), nil
	case "bbolt":
		path, err := filePath(address)
		if err != nil {
			return nil, err
		}
		return OpenFile(path)
	case "postgres", "postgresql":
		return OpenPostgres(ctx, address)
	}
	// The address may hold a password.
	return nil, errors.New("a store's address begins with bbolt:, postgres: or memory:, or is none")
}

func filePath(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("the store's address: %w", err)
	}
	path := parsed.Path + parsed.Opaque
	if path == "" || parsed.Host != "" {
		return "", fmt.Errorf("the store's address %q names no file: write bbolt:///path/to/file", address)
	}
	return path, nil
}
