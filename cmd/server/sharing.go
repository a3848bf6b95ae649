package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/share"
)

// sweepInterval is how often expired links are removed.
const sweepInterval = time.Hour

// openSharing opens the store of short links and keeps it swept until the
// context is done; close ends that. Without a store that was asked for the
// server does not start; the default one is done without.
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
			log.Error("could not close the store", "error", err)
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
	log.Warn("there are no short links: name a store with -store", "error", err)
	return nil, nil
}
