package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// SweepCases apply to stores without automatic expiry. They need exclusive use of
// the store.
var SweepCases = []Case{
	{"sweep removes expired values", sweepRemoves},
	{"sweep ignores extended and deleted values", sweepCountsOnce},
	{"sweep of many values", sweepMany},
	{"expiry for all values", expireAll},
}

func expireAll(ctx context.Context, store share.Store) error {
	// More values than a transaction changes.
	const many = 600
	expires := inAnHour()
	err := errors.Join(drain(ctx, store), emptied(ctx, store))
	if err != nil {
		return err
	}
	for range many {
		if err := put(ctx, store, newID("forever"), time.Time{}); err != nil {
			return err
		}
	}
	id, timed := newID("forever"), newID("timed")
	err = errors.Join(put(ctx, store, id, time.Time{}), put(ctx, store, timed, expires.Add(time.Hour)))
	if err != nil {
		return err
	}
	for _, expected := range []int{many + 1, 0} {
		if changed, err := store.ExpireAll(ctx, expires); err != nil || changed != expected {
			return fmt.Errorf("changed %d (%v), want %d", changed, err, expected)
		}
	}
	err = errors.Join(
		want(ctx, store, id, "value", expires),
		want(ctx, store, timed, "value", expires.Add(time.Hour)),
		put(ctx, store, id, expires.Add(time.Minute)),
		wantSwept(ctx, store, expires, many),
		want(ctx, store, id, "value", expires.Add(time.Minute)),
		wantSwept(ctx, store, expires.Add(time.Hour), 2),
	)
	return err
}

// emptied removes the values without expiry of other cases.
func emptied(ctx context.Context, store share.Store) error {
	_, err := store.ExpireAll(ctx, inAnHour())
	return errors.Join(err, drain(ctx, store))
}

func sweepRemoves(ctx context.Context, store share.Store) error {
	over, kept := newID("over"), newID("kept")
	expires := inAnHour()
	err := errors.Join(drain(ctx, store), put(ctx, store, over, expires), put(ctx, store, kept, expires.Add(time.Second)))
	if err != nil {
		return err
	}
	if err := wantSwept(ctx, store, expires, 1); err != nil {
		return err
	}
	return errors.Join(wantNone(ctx, store, over), want(ctx, store, kept, "value", expires.Add(time.Second)))
}

func sweepCountsOnce(ctx context.Context, store share.Store) error {
	extended, deleted := newID("extended"), newID("deleted")
	sooner := inAnHour()
	err := errors.Join(
		drain(ctx, store),
		put(ctx, store, extended, sooner, sooner.Add(time.Minute)),
		put(ctx, store, deleted, sooner),
		store.Delete(ctx, deleted),
	)
	if err != nil {
		return err
	}
	return errors.Join(
		wantSwept(ctx, store, sooner, 0),
		wantSwept(ctx, store, sooner.Add(time.Minute), 1),
		wantSwept(ctx, store, sooner.Add(time.Minute), 0),
	)
}

func sweepMany(ctx context.Context, store share.Store) error {
	const many = 1200
	expires := inAnHour()
	if err := drain(ctx, store); err != nil {
		return err
	}
	var group sync.WaitGroup
	errs := make(chan error, many)
	for range 8 {
		group.Go(func() {
			for range many / 8 {
				errs <- put(ctx, store, newID("many"), expires)
			}
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return wantSwept(ctx, store, expires, many)
}

// drain removes the expiring values of other cases.
func drain(ctx context.Context, store share.Store) error {
	_, err := store.DeleteExpired(ctx, inAnHour().Add(24*time.Hour))
	return err
}

func wantSwept(ctx context.Context, store share.Store, now time.Time, want int) error {
	if got, err := store.DeleteExpired(ctx, now); err != nil || got != want {
		return fmt.Errorf("swept %d (%v), want %d", got, err, want)
	}
	return nil
}
