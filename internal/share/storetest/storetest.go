// Package storetest has test cases for the contract of [share.Store]. They run
// wherever a store runs, including in a Cloudflare Worker.
package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// Case tests one part of the contract. Run returns an error if the store violates
// it. All cases may use the same store concurrently.
type Case struct {
	Name string
	Run  func(context.Context, share.Store) error
}

// Cases apply to every store.
var Cases = []Case{
	{"put, then get", putThenGet},
	{"unknown id", getUnknown},
	{"unusual values", putUnusualValues},
	{"value of 1 MiB", putLarge},
	{"second put keeps the value", putTwice},
	{"second put extends the expiry", putExtends},
	{"no expiry is later than any expiry", putForever},
	{"expiry is rounded up to seconds", putFraction},
	{"expired value is not found", getExpired},
	{"expired value can be put again", putAfterExpiry},
	{"deleted value is not found", deleteThenGet},
	{"delete of an unknown id", deleteUnknown},
	{"sweep keeps unexpired values", sweepKeeps},
	{"concurrent puts", putConcurrently},
}

// SweepCases apply to stores without automatic expiry. They need exclusive use of
// the store.
var SweepCases = []Case{
	{"sweep removes expired values", sweepRemoves},
	{"sweep ignores extended and deleted values", sweepCountsOnce},
	{"sweep of many values", sweepMany},
}

func putThenGet(ctx context.Context, store share.Store) error {
	id := newID("put")
	expires := inAnHour()
	if err := store.Put(ctx, id, []byte(`{"crd":"é"}`), expires); err != nil {
		return err
	}
	return want(ctx, store, id, `{"crd":"é"}`, expires)
}

func getUnknown(ctx context.Context, store share.Store) error {
	return wantNone(ctx, store, newID("unknown"))
}

func putUnusualValues(ctx context.Context, store share.Store) error {
	for _, value := range []string{"<null>", "null", "{}", "\ufeff☃ \U0001f600\u2028", "a\r\nb\n"} {
		id := newID("unusual")
		if err := store.Put(ctx, id, []byte(value), time.Time{}); err != nil {
			return err
		}
		if err := want(ctx, store, id, value, time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

func putLarge(ctx context.Context, store share.Store) error {
	id, value := newID("large"), strings.Repeat("0123456789abcde\n", 1<<16)
	if err := store.Put(ctx, id, []byte(value), time.Time{}); err != nil {
		return err
	}
	return want(ctx, store, id, value, time.Time{})
}

func putTwice(ctx context.Context, store share.Store) error {
	id := newID("twice")
	if err := put(ctx, store, id, time.Time{}, time.Time{}); err != nil {
		return err
	}
	if err := store.Put(ctx, id, []byte("other"), time.Time{}); err != nil {
		return err
	}
	return want(ctx, store, id, "value", time.Time{})
}

func putExtends(ctx context.Context, store share.Store) error {
	id, sooner, later := newID("extends"), inAnHour(), inAnHour().Add(time.Hour)
	if err := put(ctx, store, id, sooner, later, sooner); err != nil {
		return err
	}
	return want(ctx, store, id, "value", later)
}

func putForever(ctx context.Context, store share.Store) error {
	id := newID("forever")
	if err := put(ctx, store, id, inAnHour(), time.Time{}, inAnHour()); err != nil {
		return err
	}
	return want(ctx, store, id, "value", time.Time{})
}

func putFraction(ctx context.Context, store share.Store) error {
	id, expires := newID("fraction"), inAnHour()
	if err := put(ctx, store, id, expires.Add(-time.Nanosecond)); err != nil {
		return err
	}
	return want(ctx, store, id, "value", expires)
}

func getExpired(ctx context.Context, store share.Store) error {
	id := newID("expired")
	if err := put(ctx, store, id, time.Now().Add(-2*time.Second)); err != nil {
		return err
	}
	return wantNone(ctx, store, id)
}

func putAfterExpiry(ctx context.Context, store share.Store) error {
	id, expires := newID("again"), inAnHour()
	if err := put(ctx, store, id, time.Now().Add(-2*time.Second), expires); err != nil {
		return err
	}
	return want(ctx, store, id, "value", expires)
}

func deleteThenGet(ctx context.Context, store share.Store) error {
	id := newID("deleted")
	if err := put(ctx, store, id, inAnHour()); err != nil {
		return err
	}
	if err := store.Delete(ctx, id); err != nil {
		return err
	}
	return wantNone(ctx, store, id)
}

func deleteUnknown(ctx context.Context, store share.Store) error {
	return store.Delete(ctx, newID("nothing"))
}

func sweepKeeps(ctx context.Context, store share.Store) error {
	timed, forever, expires := newID("timed"), newID("kept"), inAnHour()
	err := errors.Join(put(ctx, store, timed, expires), put(ctx, store, forever, time.Time{}))
	if err != nil {
		return err
	}
	if _, err := store.DeleteExpired(ctx, time.Now()); err != nil {
		return err
	}
	return errors.Join(
		want(ctx, store, timed, "value", expires),
		want(ctx, store, forever, "value", time.Time{}),
	)
}

func putConcurrently(ctx context.Context, store share.Store) error {
	const writers = 20
	same, ids := newID("same"), make([]string, writers)
	errs := make(chan error, 2*writers)
	var group sync.WaitGroup
	for i := range writers {
		ids[i] = newID("own")
		group.Go(func() {
			errs <- put(ctx, store, same, inAnHour().Add(time.Duration(i)*time.Minute), time.Time{})
			errs <- put(ctx, store, ids[i], time.Time{})
		})
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	for _, id := range append(ids, same) {
		if err := want(ctx, store, id, "value", time.Time{}); err != nil {
			return err
		}
	}
	return nil
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

// newID returns a unique id.
func newID(name string) string {
	mu.Lock()
	defer mu.Unlock()
	last++
	return fmt.Sprintf("%s-%d-%d", name, time.Now().UnixNano(), last)
}

var (
	mu   sync.Mutex
	last int
)

func inAnHour() time.Time { return time.Now().Add(time.Hour).Truncate(time.Second).UTC() }

// put stores the value "value" once per expiry.
func put(ctx context.Context, store share.Store, id string, expires ...time.Time) error {
	for _, at := range expires {
		if err := store.Put(ctx, id, []byte("value"), at); err != nil {
			return err
		}
	}
	return nil
}

func want(ctx context.Context, store share.Store, id, value string, expires time.Time) error {
	got, until, err := store.Get(ctx, id)
	switch {
	case err != nil:
		return fmt.Errorf("get %s: %w", id, err)
	case !bytes.Equal(got, []byte(value)):
		return fmt.Errorf("%s has the value %.60q of %d bytes, want %.60q of %d", id, got, len(got), value, len(value))
	case !until.Equal(expires):
		return fmt.Errorf("%s expires at %v, want %v", id, until, expires)
	}
	return nil
}

func wantNone(ctx context.Context, store share.Store, id string) error {
	value, _, err := store.Get(ctx, id)
	if !errors.Is(err, share.ErrNotFound) || value != nil {
		return fmt.Errorf("%s has the value %.60q and the error %v, want %v", id, value, err, share.ErrNotFound)
	}
	return nil
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
