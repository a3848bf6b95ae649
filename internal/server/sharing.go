package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/crdlab/crdlab/internal/httpapi"
	"github.com/crdlab/crdlab/internal/share"
)

// sweepInterval is the interval between deletions of expired links.
const sweepInterval = time.Hour

// openSharing opens the short-link store in the background, and deletes expired links
// periodically until the context is done or closeStore is called. It fails if the address
// of the store is invalid. If another process uses the default store, or its folder cannot
// be created, short links are disabled.
func openSharing(ctx context.Context, s settings, env func(string) string, log *slog.Logger) (sharing httpapi.Sharing, closeStore func(), err error) {
	store, err := openStore(s, env, log)
	if err != nil || store == nil {
		return sharing, func() {}, err
	}
	sharing = httpapi.Sharing{
		Store:         store,
		Limit:         s.shareLimit,
		Lifetime:      s.shareLifetime,
		ClientQuota:   s.shareClientQuota,
		OperatorToken: s.operatorToken,
		PublicURL:     s.publicURL,
	}
	sweeping, stop := context.WithCancel(ctx)
	swept := make(chan struct{})
	go func() {
		defer close(swept)
		share.Sweep(sweeping, store, sweepInterval, s.shareLifetime, log)
	}()
	return sharing, func() {
		stop()
		<-swept
		if err := store.Close(); err != nil {
			log.Error("cannot close the short-link store", "error", err)
		}
	}, nil
}

func openStore(s settings, env func(string) string, log *slog.Logger) (share.Store, error) {
	address := s.store
	if address == "" {
		var err error
		if address, err = defaultStore(env); err == nil {
			err = share.Probe(address)
		}
		if err != nil {
			log.Warn("short links are disabled: set a store with --store", "error", err)
			return nil, nil
		}
	}
	return share.OpenInBackground(address, share.Options{Quota: s.shareQuota, Log: log})
}
