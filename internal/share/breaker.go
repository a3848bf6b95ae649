//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/sony/gobreaker/v2"
)

const (
	// failuresToOpen is the number of consecutive failures after which operations fail
	// at once.
	failuresToOpen = 3
	// probeInterval is the time after which one operation is tried again.
	probeInterval = time.Second
)

// breaker is a store whose operations fail at once after repeated failures, until the
// underlying store works again. The operations on all values are not counted.
type breaker struct {
	Store
	circuit *gobreaker.CircuitBreaker[struct{}]
}

func newBreaker(store Store, log *slog.Logger) *breaker {
	return &breaker{store, gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:      probeInterval,
		ReadyToTrip:  func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failuresToOpen },
		IsSuccessful: isResponse,
		IsExcluded:   func(err error) bool { return errors.Is(err, context.Canceled) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			switch {
			case from == gobreaker.StateClosed:
				log.Error("the short-link store fails repeatedly: links are unavailable until it responds")
			case to == gobreaker.StateClosed:
				log.Info("the short-link store is available again")
			}
		},
	})}
}

// isResponse reports whether a result shows that the store works.
func isResponse(err error) bool {
	return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly)
}

func (b *breaker) do(operate func() error) error {
	_, err := b.circuit.Execute(func() (struct{}, error) { return struct{}{}, operate() })
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		return fmt.Errorf("%w: it failed repeatedly", ErrUnavailable)
	}
	return err
}

func (b *breaker) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	return b.do(func() error { return b.Store.Put(ctx, id, value, expires) })
}

func (b *breaker) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	err = b.do(func() (err error) {
		value, expires, err = b.Store.Get(ctx, id)
		return err
	})
	return value, expires, err
}

func (b *breaker) Extend(ctx context.Context, id string, expires time.Time) error {
	return b.do(func() error { return b.Store.Extend(ctx, id, expires) })
}

func (b *breaker) Delete(ctx context.Context, id string) error {
	return b.do(func() error { return b.Store.Delete(ctx, id) })
}
