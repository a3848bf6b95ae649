package share

import (
	"context"
	"log/slog"
	"time"
)

// Sweep deletes expired values immediately and after each interval, until the
// context is done.
func Sweep(ctx context.Context, store Store, interval time.Duration, log *slog.Logger) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		removed, err := store.DeleteExpired(ctx, time.Now())
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.WarnContext(ctx, "could not remove expired links", "error", err)
		case removed > 0:
			log.InfoContext(ctx, "removed expired links", "count", removed)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
