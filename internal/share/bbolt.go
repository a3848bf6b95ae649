//go:build !js

package share

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
)

// lockTimeout is how long to wait for a process that is ending to let go of
// the file.
const lockTimeout = time.Second

var (
	// valuesBucket holds id → stamp and value.
	valuesBucket = []byte("values")
	// expiryBucket holds stamp and id of what will expire, to be swept in order.
	expiryBucket = []byte("expiry")
)

// stampSize is the length of a stamp: a time in Unix seconds, most significant
// byte first, 0 for never.
const stampSize = 8

// file is a store in one file, for one process.
type file struct {
	db *bolt.DB
}

// OpenFile opens the file of a store, or makes it.
func OpenFile(path string) (Store, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTimeout})
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	f := &file{db}
	if err := errors.Join(f.makeBuckets(), syncDirectory(filepath.Dir(path))); err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, errors.Join(err, db.Close()))
	}
	return f, nil
}

func (f *file) makeBuckets() error {
	return f.db.Update(func(tx *bolt.Tx) error {
		_, values := tx.CreateBucketIfNotExists(valuesBucket)
		_, expiry := tx.CreateBucketIfNotExists(expiryBucket)
		return errors.Join(values, expiry)
	})
}

// syncDirectory makes the name of a new file survive a crash.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}

func (f *file) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// The transaction's end syncs the file.
	err := f.db.Update(func(tx *bolt.Tx) error {
		if known := tx.Bucket(valuesBucket).Get([]byte(id)); known != nil {
			until := timeOf(known)
			if later(until, expires).Equal(until) {
				return nil
			}
			value = bytes.Clone(known[stampSize:])
			expires = later(until, expires)
			if err := tx.Bucket(expiryBucket).Delete(append(stampOf(until), id...)); err != nil {
				return err
			}
		}
		return insert(tx, id, value, expires)
	})
	return storeError("store a scenario", err)
}

func insert(tx *bolt.Tx, id string, value []byte, expires time.Time) error {
	stamp := stampOf(expires)
	if !expires.IsZero() {
		if err := tx.Bucket(expiryBucket).Put(append(stamp, id...), nil); err != nil {
			return err
		}
	}
	return tx.Bucket(valuesBucket).Put([]byte(id), append(stamp, value...))
}

func (f *file) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	err = f.db.View(func(tx *bolt.Tx) error {
		known := tx.Bucket(valuesBucket).Get([]byte(id))
		if known == nil || hasExpired(timeOf(known), time.Now()) {
			return ErrNotFound
		}
		value, expires = bytes.Clone(known[stampSize:]), timeOf(known)
		return nil
	})
	return value, expires, storeError("read a scenario", err)
}

func (f *file) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := f.db.Update(func(tx *bolt.Tx) error { return remove(tx, []byte(id)) })
	return storeError("delete a scenario", err)
}

func remove(tx *bolt.Tx, id []byte) error {
	values := tx.Bucket(valuesBucket)
	known := values.Get(id)
	if known == nil {
		return nil
	}
	stamp := bytes.Clone(known[:stampSize])
	return errors.Join(tx.Bucket(expiryBucket).Delete(append(stamp, id...)), values.Delete(id))
}

// sweepAtOnce is how many values one transaction removes, so that those who
// share meanwhile need not wait long.
const sweepAtOnce = 500

func (f *file) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	for removed := 0; ; {
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		n := 0
		err := f.db.Update(func(tx *bolt.Tx) error {
			expired := expiredIDs(tx, now)
			n = len(expired)
			for _, id := range expired {
				if err := remove(tx, id); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return removed, storeError("sweep the store", err)
		}
		removed += n
		if n < sweepAtOnce {
			return removed, nil
		}
	}
}

// expiredIDs are the ids of some values that are over.
func expiredIDs(tx *bolt.Tx, now time.Time) [][]byte {
	var ids [][]byte
	cursor := tx.Bucket(expiryBucket).Cursor()
	for key, _ := cursor.First(); key != nil && hasExpired(timeOf(key), now); key, _ = cursor.Next() {
		if len(ids) == sweepAtOnce {
			break
		}
		ids = append(ids, bytes.Clone(key[stampSize:]))
	}
	return ids
}

func (f *file) Close() error { return f.db.Close() }

// stampOf is the stamp of a time, rounded up to seconds.
func stampOf(t time.Time) []byte {
	stamp := make([]byte, stampSize)
	if !t.IsZero() {
		binary.BigEndian.PutUint64(stamp, uint64(wholeSeconds(t).Unix()))
	}
	return stamp
}

// timeOf is the time in the stamp that a record begins with.
func timeOf(record []byte) time.Time {
	seconds := binary.BigEndian.Uint64(record)
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}

// storeError adds what was to be done to an error of the file.
func storeError(doing string, err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNotFound):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s: %w: %w", doing, ErrFull, err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
