//go:build !js

package share

import (
	"bytes"
	"context"
	"encoding/binary"
	"time"

	bolt "go.etcd.io/bbolt"
)

// stampSize is the length of a stamp: the expiry in Unix seconds in big-endian
// order, or 0 for never.
const stampSize = 8

func (f *file) Extend(ctx context.Context, id string, expires time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	extend := func(tx *bolt.Tx) (changed bool, err error) {
		known := tx.Bucket(valuesBucket).Get([]byte(id))
		if known == nil {
			return false, nil
		}
		from := expiryOf(tx, []byte(id), known)
		to := later(from, ceilSecond(expires))
		if to.Equal(from) || !tx.Writable() {
			return !to.Equal(from), nil
		}
		return true, setExpiry(tx, []byte(id), from, to)
	}
	return f.guard("extend a link", func() error {
		// Each write syncs the file, so most calls only read.
		isLater := false
		err := f.db.View(func(tx *bolt.Tx) (err error) {
			isLater, err = extend(tx)
			return err
		})
		if err != nil || !isLater {
			return err
		}
		return f.update(housekeepingReserve, func(tx *bolt.Tx) error {
			_, err := extend(tx)
			return err
		})
	})
}

// sweepBatch limits the changes per transaction, which blocks writers.
const sweepBatch = 500

func (f *file) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	return f.inBatches(ctx, "sweep the store", func(tx *bolt.Tx) (int, error) {
		expired := expiredKeys(tx, now)
		for _, key := range expired {
			// An earlier version of the program may have deleted only the value.
			if err := tx.Bucket(expiryBucket).Delete(key); err != nil {
				return 0, err
			}
			if err := remove(tx, key[stampSize:]); err != nil {
				return 0, err
			}
		}
		return len(expired), nil
	})
}

// expiredKeys returns at most sweepBatch expired keys of the expiry bucket.
func expiredKeys(tx *bolt.Tx, now time.Time) [][]byte {
	var keys [][]byte
	cursor := tx.Bucket(expiryBucket).Cursor()
	for key, _ := cursor.First(); key != nil && hasExpired(timeOf(key), now); key, _ = cursor.Next() {
		if len(keys) == sweepBatch {
			break
		}
		keys = append(keys, bytes.Clone(key))
	}
	return keys
}

func (f *file) ExpireAll(ctx context.Context, expires time.Time) (int, error) {
	var next []byte
	return f.inBatches(ctx, "limit the lifetime of links", func(tx *bolt.Tx) (int, error) {
		var ids [][]byte
		ids, next = unlimitedIDs(tx, next)
		for _, id := range ids {
			if err := setExpiry(tx, id, time.Time{}, expires); err != nil {
				return 0, err
			}
		}
		return len(ids), nil
	})
}

// unlimitedIDs returns the ids of at most sweepBatch values without an expiry, in
// order from the id start, and the id that follows them.
func unlimitedIDs(tx *bolt.Tx, start []byte) (ids [][]byte, next []byte) {
	cursor := tx.Bucket(valuesBucket).Cursor()
	for id, record := cursor.Seek(start); id != nil; id, record = cursor.Next() {
		if len(ids) == sweepBatch {
			return ids, bytes.Clone(id)
		}
		if expiryOf(tx, id, record).IsZero() {
			ids = append(ids, bytes.Clone(id))
		}
	}
	return ids, nil
}

// inBatches repeats a change in transactions until one changes less than sweepBatch
// values. It returns the number of changed values.
func (f *file) inBatches(ctx context.Context, operation string, change func(*bolt.Tx) (int, error)) (int, error) {
	for total := 0; ; {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n := 0
		err := f.guard(operation, func() error {
			return f.update(housekeepingReserve, func(tx *bolt.Tx) (err error) {
				n, err = change(tx)
				return err
			})
		})
		if err != nil {
			return total, err
		}
		total += n
		if n < sweepBatch {
			return total, nil
		}
	}
}

// expiryOf returns the expiry of the value with this id and record.
func expiryOf(tx *bolt.Tx, id, record []byte) time.Time {
	if stamp := tx.Bucket(untilBucket).Get(id); len(stamp) == stampSize {
		return timeOf(stamp)
	}
	return timeOf(record)
}

// setExpiry changes the expiry of a value.
func setExpiry(tx *bolt.Tx, id []byte, from, to time.Time) error {
	if bytes.Equal(stampOf(from), stampOf(to)) {
		return nil
	}
	expiry := tx.Bucket(expiryBucket)
	if err := expiry.Delete(append(stampOf(from), id...)); err != nil {
		return err
	}
	if !to.IsZero() {
		if err := expiry.Put(append(stampOf(to), id...), nil); err != nil {
			return err
		}
	}
	return tx.Bucket(untilBucket).Put(id, stampOf(to))
}

// stampOf returns the stamp of a time, rounded up to seconds.
func stampOf(t time.Time) []byte {
	stamp := make([]byte, stampSize)
	if !t.IsZero() {
		binary.BigEndian.PutUint64(stamp, uint64(ceilSecond(t).Unix()))
	}
	return stamp
}

// timeOf returns the time of the stamp at the start of a record.
func timeOf(record []byte) time.Time {
	seconds := binary.BigEndian.Uint64(record)
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}
