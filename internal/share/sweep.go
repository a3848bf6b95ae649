package share

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// failurePause is the time until the next attempt after a failed sweep.
const failurePause = time.Minute

// Sweep deletes expired values immediately and after each interval, until the context is
// done. With a lifetime, it first gives an expiry to the values without one, which a
// server without a lifetime has stored.
func Sweep(ctx context.Context, store Store, interval, lifetime time.Duration, log *slog.Logger) {
	for {
		pause := interval
		if err := sweepOnce(ctx, store, lifetime, log); err != nil {
			pause = min(interval, failurePause)
			// The store itself logs that it is unavailable.
			if ctx.Err() == nil && !errors.Is(err, ErrUnavailable) {
				log.WarnContext(ctx, "could not remove expired links", "error", err)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func sweepOnce(ctx context.Context, store Store, lifetime time.Duration, log *slog.Logger) error {
	if lifetime > 0 {
		limited, err := store.ExpireAll(ctx, time.Now().Add(lifetime))
		if limited > 0 {
			log.InfoContext(ctx, "links without an expiry now have one", "count", limited)
		}
		if err != nil {
			return err
		}
	}
	removed, err := store.DeleteExpired(ctx, time.Now())
	if removed > 0 {
		log.InfoContext(ctx, "removed expired links", "count", removed)
	}
	return err
}
