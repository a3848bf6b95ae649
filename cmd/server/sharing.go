package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/share"
)

// sweepInterval is the interval between deletions of expired links.
const sweepInterval = time.Hour

// openSharing opens the short-link store and deletes expired links periodically until
// the context is done or closeStore is called. It fails if a configured store cannot
// be opened. If the default store cannot be opened, short links are disabled.
func openSharing(ctx context.Context, s settings, env func(string) string, log *slog.Logger) (sharing httpapi.Sharing, closeStore func(), err error) {
	store, err := openStore(ctx, s.store, env, log)
	if err != nil || store == nil {
		return sharing, func() {}, err
	}
	sharing = httpapi.Sharing{
		Store:         store,
		Limit:         s.shareLimit,
		Lifetime:      s.shareLifetime,
		OperatorToken: s.operatorToken,
		PublicURL:     s.publicURL,
	}
	sweeping, stop := context.WithCancel(ctx)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		share.Sweep(sweeping, store, sweepInterval, log)
	}()
	return sharing, func() {
		stop()
		<-swept
		if err := store.Close(); err != nil {
			log.Error("cannot close the short-link store", "error", err)
		}
	}, nil
}

func openStore(ctx context.Context, address string, env func(string) string, log *slog.Logger) (share.Store, error) {
	if address != "" {
		return share.Open(ctx, address)
	}
	address, err := defaultStore(env)
	if err == nil {
		var store share.Store
		if store, err = share.Open(ctx, address); err == nil {
			return store, nil
		}
	}
	log.Warn("short links are disabled: set a store with -store", "error", err)
	return nil, nil
}
