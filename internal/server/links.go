package server

import (
	"context"
	"log/slog"
	"os"

	"github.com/crdlab/crdlab/internal/share"
)

// An ArchiveOpener opens a store to copy its links.
type ArchiveOpener func(context.Context, string, share.Options) (share.Archive, error)

// OpenLinks calls open for a store. The address has the format of the server's flag --store; if
// it is empty, it opens the server's store.
func OpenLinks(ctx context.Context, address string, open ArchiveOpener) (share.Archive, error) {
	if address == "" {
		var err error
		if address, err = storeAddress(os.Getenv); err != nil {
			return nil, err
		}
	}
	return open(ctx, address, share.Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
}

// storeAddress returns the address of the store in the environment, or of the default store.
func storeAddress(env func(string) string) (string, error) {
	env, err := withSecretFiles(env)
	if err != nil {
		return "", err
	}
	if address := env(storeVariable); address != "" {
		return address, nil
	}
	return defaultStore(env)
}
