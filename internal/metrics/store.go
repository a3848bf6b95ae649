package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// Store is a store whose operations are counted.
func (m *Metrics) Store(store share.Store) share.Store {
	return counted{store, m}
}

type counted struct {
	share.Store
	metrics *Metrics
}

func (c counted) count(operation string, start time.Time, err error) {
	outcome := "failed"
	switch {
	case err == nil:
		outcome = "done"
	case errors.Is(err, share.ErrNotFound):
		outcome = "missing"
	case errors.Is(err, share.ErrFull):
		outcome = "full"
	}
	c.metrics.operations.WithLabelValues(operation, outcome).Observe(time.Since(start).Seconds())
}

func (c counted) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	start := time.Now()
	err := c.Store.Put(ctx, id, value, expires)
	c.count("put", start, err)
	return err
}

func (c counted) Get(ctx context.Context, id string) ([]byte, time.Time, error) {
	start := time.Now()
	value, expires, err := c.Store.Get(ctx, id)
	c.count("get", start, err)
	return value, expires, err
}

func (c counted) Delete(ctx context.Context, id string) error {
	start := time.Now()
	err := c.Store.Delete(ctx, id)
	c.count("delete", start, err)
	return err
}

func (c counted) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	start := time.Now()
	removed, err := c.Store.DeleteExpired(ctx, now)
	c.count("sweep", start, err)
	return removed, err
}
