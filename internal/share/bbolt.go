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

// lockTimeout is the time to wait for another process to release the file lock.
const lockTimeout = time.Second

var (
	// valuesBucket maps an id to a stamp followed by the value.
	valuesBucket = []byte("values")
	// expiryBucket holds keys of a stamp and an id for values with an expiry, so
	// they can be deleted in order of expiry.
	expiryBucket = []byte("expiry")
)

// stampSize is the length of a stamp: the expiry in Unix seconds in big-endian
// order, or 0 for never.
const stampSize = 8

// file is a store in a bbolt file. Only one process can open it.
type file struct {
	db *bolt.DB
}

// OpenFile opens the store in a file, and creates the file if necessary.
func OpenFile(path string) (Store, error) {
	db, err := bolt.Open(path, 0o600, &bolt.Options{Timeout: lockTimeout})
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	f := &file{db}
	if err := errors.Join(f.createBuckets(), syncDirectory(filepath.Dir(path))); err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, errors.Join(err, db.Close()))
	}
	return f, nil
}

func (f *file) createBuckets() error {
	return f.db.Update(func(tx *bolt.Tx) error {
		_, values := tx.CreateBucketIfNotExists(valuesBucket)
		_, expiry := tx.CreateBucketIfNotExists(expiryBucket)
		return errors.Join(values, expiry)
	})
}

// syncDirectory makes the directory entry of a new file durable.
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
	// The commit syncs the file.
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
	return fileError("store a scenario", err)
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
	return value, expires, fileError("read a scenario", err)
}

func (f *file) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := f.db.Update(func(tx *bolt.Tx) error { return remove(tx, []byte(id)) })
	return fileError("delete a scenario", err)
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

// sweepBatch limits the deletions per transaction, which blocks writers.
const sweepBatch = 500

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
			return removed, fileError("sweep the store", err)
		}
		removed += n
		if n < sweepBatch {
			return removed, nil
		}
	}
}

// expiredIDs returns the ids of at most sweepBatch expired values.
func expiredIDs(tx *bolt.Tx, now time.Time) [][]byte {
	var ids [][]byte
	cursor := tx.Bucket(expiryBucket).Cursor()
	for key, _ := cursor.First(); key != nil && hasExpired(timeOf(key), now); key, _ = cursor.Next() {
		if len(ids) == sweepBatch {
			break
		}
		ids = append(ids, bytes.Clone(key[stampSize:]))
	}
	return ids
}

func (f *file) Close() error { return f.db.Close() }

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

// fileError wraps an error of the file with the failed operation.
func fileError(operation string, err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNotFound):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s: %w: %w", operation, ErrFull, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}
