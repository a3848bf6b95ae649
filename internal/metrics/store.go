package metrics

import (
	"context"
	"errors"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// Store wraps the store to measure its operations.
func (m *Metrics) Store(store share.Store) share.Store {
	m.available.Set(1)
	m.registry.MustRegister(m.available)
	return measuredStore{store, m}
}

type measuredStore struct {
	share.Store
	metrics *Metrics
}

func (s measuredStore) observe(operation string, start time.Time, err error) {
	outcome := "failed"
	switch {
	case err == nil:
		outcome = "done"
	case errors.Is(err, share.ErrNotFound):
		outcome = "missing"
	case errors.Is(err, share.ErrFull):
		outcome = "full"
	}
	s.metrics.operations.WithLabelValues(operation, outcome).Observe(time.Since(start).Seconds())
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, share.ErrDamaged): // of one value
	case outcome == "failed":
		s.metrics.available.Set(0)
	default:
		s.metrics.available.Set(1)
	}
}

func (s measuredStore) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	start := time.Now()
	err := s.Store.Put(ctx, id, value, expires)
	s.observe("put", start, err)
	return err
}

func (s measuredStore) Get(ctx context.Context, id string) ([]byte, time.Time, error) {
	start := time.Now()
	value, expires, err := s.Store.Get(ctx, id)
	s.observe("get", start, err)
	return value, expires, err
}

func (s measuredStore) Extend(ctx context.Context, id string, expires time.Time) error {
	start := time.Now()
	err := s.Store.Extend(ctx, id, expires)
	s.observe("extend", start, err)
	return err
}

func (s measuredStore) Delete(ctx context.Context, id string) error {
	start := time.Now()
	err := s.Store.Delete(ctx, id)
	s.observe("delete", start, err)
	return err
}

func (s measuredStore) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	start := time.Now()
	removed, err := s.Store.DeleteExpired(ctx, now)
	s.observe("sweep", start, err)
	return removed, err
}
