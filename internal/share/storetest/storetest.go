// Package storetest has test cases for the contract of [share.Store], and PostgreSQL servers for
// tests. The cases run wherever a store runs, including in a Cloudflare Worker.
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
	{"extension", extend},
	{"extension of an unknown id", extendUnknown},
	{"concurrent puts", putConcurrently},
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

func extend(ctx context.Context, store share.Store) error {
	id, expires := newID("extend"), inAnHour()
	if err := put(ctx, store, id, expires); err != nil {
		return err
	}
	err := errors.Join(
		store.Extend(ctx, id, expires.Add(time.Hour)),
		store.Extend(ctx, id, expires.Add(time.Minute)),
	)
	if err != nil {
		return err
	}
	return want(ctx, store, id, "value", expires.Add(time.Hour))
}

func extendUnknown(ctx context.Context, store share.Store) error {
	id := newID("unknown")
	return errors.Join(store.Extend(ctx, id, inAnHour()), wantNone(ctx, store, id))
}

// Quota fills a store with a quota of 4 MiB. Values beyond it must be rejected, stored
// values must stay readable, and deletions must make room.
func Quota(ctx context.Context, store share.Store) error {
	const size = 100_000
	value := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, size) }
	stored := 0
	for ; stored < 1000; stored++ {
		err := store.Put(ctx, fmt.Sprint(stored), value(stored), inAnHour())
		if errors.Is(err, share.ErrFull) {
			break
		}
		if err != nil {
			return err
		}
	}
	if bytes := stored * size; bytes > 4<<20 || bytes < 1<<20 {
		return fmt.Errorf("stored %d bytes, want 1 to 4 MiB", bytes)
	}
	for i := range stored {
		if got, _, err := store.Get(ctx, fmt.Sprint(i)); err != nil || !bytes.Equal(got, value(i)) {
			return fmt.Errorf("value %d in a full store: %d bytes, %w", i, len(got), err)
		}
	}
	err := errors.Join(
		store.Put(ctx, "0", value(0), inAnHour().Add(time.Minute)),
		store.Extend(ctx, "1", inAnHour().Add(time.Hour)),
		store.Delete(ctx, "2"),
		store.Delete(ctx, "3"),
		store.Put(ctx, "new", value(0), inAnHour()),
	)
	if err != nil {
		return fmt.Errorf("in a full store: %w", err)
	}
	if removed, err := store.DeleteExpired(ctx, inAnHour().Add(24*time.Hour)); err != nil || removed != stored-1 {
		return fmt.Errorf("removed %d (%v), want %d", removed, err, stored-1)
	}
	return store.Put(ctx, "new", value(1), inAnHour())
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
