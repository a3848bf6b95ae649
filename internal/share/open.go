//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// Open opens the store at an address:
//
//	bbolt:///data/crdlab.db       a bbolt file; bbolt:crdlab.db is a relative path
//	postgres://user@host/database PostgreSQL, with any connection parameter of pgx
//	memory:                       memory of the process
//	none                          no store; the result is nil
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
	// The error omits the address, which may contain a password.
	return nil, errors.New("invalid store address: it must start with bbolt:, postgres: or memory:, or be none")
}

func filePath(address string) (string, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("parse the store address: %w", err)
	}
	path := parsed.Path + parsed.Opaque
	if path == "" || parsed.Host != "" {
		return "", fmt.Errorf("the store address %q has no file path: use bbolt:///path/to/file", address)
	}
	return path, nil
}
