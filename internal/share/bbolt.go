//go:build !js

package share

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// lockTimeout is the time to wait for another process to release the file lock.
const lockTimeout = time.Second

var (
	// valuesBucket maps an id to a record: a stamp followed by the value.
	valuesBucket = []byte("values")
	// untilBucket maps an id to the stamp that replaces the one in the record. It
	// saves a copy of the value when only the expiry changes.
	untilBucket = []byte("until")
	// expiryBucket holds keys of a stamp and an id for values with an expiry, so
	// they can be deleted in order of expiry.
	expiryBucket = []byte("expiry")
)

// housekeepingReserve is the size in bytes that a file may have beyond its quota, so
// that deletions and new expiries succeed in a full store. bbolt allocates 16 MiB at once.
const housekeepingReserve = 32 << 20

// diskReserve is the size in bytes that new values leave free on the disk, so that
// deletions, which first write, succeed on a full disk. It exceeds the size of a page
// with the two largest values.
const diskReserve = 8 << 20

// file is a store in a bbolt file. Only one process can open it.
type file struct {
	db *bolt.DB
	// handle is db's file.
	handle *os.File
	// quota limits the size of the file in bytes. 0 means no limit.
	quota int
	// isDamaged is set once an operation found damage. All later operations fail.
	isDamaged atomic.Bool
}

// OpenFile opens the store in a file, and creates the file if necessary. The file
// must be sound: see [CheckFile].
func OpenFile(path string, quota int) (Store, error) {
	f := &file{quota: quota}
	err := f.guard("open the store "+path, func() error {
		if err := f.open(path); err != nil {
			return err
		}
		return errors.Join(f.createBuckets(), syncDirectory(filepath.Dir(path)))
	})
	if err == nil {
		return f, nil
	}
	if f.handle != nil {
		err = errors.Join(err, f.Close())
	}
	return nil, err
}

func (f *file) open(path string) (err error) {
	f.db, err = bolt.Open(path, 0o600, &bolt.Options{
		Timeout: lockTimeout,
		OpenFile: func(name string, flag int, mode os.FileMode) (*os.File, error) {
			opened, err := os.OpenFile(name, flag, mode)
			if f.handle == nil { // a backup opens the file again
				f.handle = opened
			}
			return opened, err
		},
	})
	if err != nil {
		f.handle = nil // bbolt has closed it
	}
	return err
}

func (f *file) createBuckets() error {
	return f.update(housekeepingReserve, func(tx *bolt.Tx) error {
		for _, name := range [][]byte{valuesBucket, untilBucket, expiryBucket} {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// guard runs an operation on the file. Reading a damaged file can panic, and reading
// beyond the end of a truncated file is a memory fault. Both become ErrDamaged.
func (f *file) guard(operation string, run func() error) (err error) {
	if f.isDamaged.Load() {
		return fmt.Errorf("%s: %w", operation, ErrDamaged)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%s: %w: %v", operation, ErrDamaged, reason)
		}
		if errors.Is(err, ErrDamaged) {
			f.isDamaged.Store(true)
		}
	}()
	return fileError(operation, run())
}

// update runs a writing transaction. The file may grow to its quota plus reserve bytes.
func (f *file) update(reserve int, write func(*bolt.Tx) error) error {
	return f.db.Update(func(tx *bolt.Tx) error {
		if f.quota > 0 {
			f.db.MaxSize = f.quota + reserve
		}
		return write(tx)
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
	return f.guard("store a scenario", func() error {
		// The commit syncs the file.
		return f.update(0, func(tx *bolt.Tx) error { return f.put(tx, id, value, expires) })
	})
}

func (f *file) put(tx *bolt.Tx, id string, value []byte, expires time.Time) error {
	if known := tx.Bucket(valuesBucket).Get([]byte(id)); known != nil {
		until := expiryOf(tx, []byte(id), known)
		return setExpiry(tx, []byte(id), until, later(until, expires))
	}
	if err := f.checkRoom(len(value)); err != nil {
		return err
	}
	return insert(tx, id, value, expires)
}

// checkRoom returns ErrFull if the disk and the free pages of the file have less than
// diskReserve left after a value of this size.
func (f *file) checkRoom(size int) error {
	free, err := freeSpace(f.handle)
	if err != nil {
		return fmt.Errorf("read the free space: %w", err)
	}
	free += int64(f.db.Stats().FreePageN) * int64(f.db.Info().PageSize)
	if free < int64(size)+diskReserve {
		return fmt.Errorf("%w: the disk has %d bytes left", ErrFull, free)
	}
	return nil
}

func insert(tx *bolt.Tx, id string, value []byte, expires time.Time) error {
	stamp := stampOf(expires)
	if !expires.IsZero() {
		if err := tx.Bucket(expiryBucket).Put(append(stamp, id...), nil); err != nil {
			return err
		}
	}
	return errors.Join(
		tx.Bucket(untilBucket).Delete([]byte(id)),
		tx.Bucket(valuesBucket).Put([]byte(id), append(stamp, value...)),
	)
}

func (f *file) Get(ctx context.Context, id string) (value []byte, expires time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return nil, time.Time{}, err
	}
	err = f.guard("read a scenario", func() error {
		return f.db.View(func(tx *bolt.Tx) error {
			known := tx.Bucket(valuesBucket).Get([]byte(id))
			if known == nil {
				return ErrNotFound
			}
			until := expiryOf(tx, []byte(id), known)
			if hasExpired(until, time.Now()) {
				return ErrNotFound
			}
			value, expires = bytes.Clone(known[stampSize:]), until
			if IsID(id) && !Matches(id, value) {
				return fmt.Errorf("%w: the link leads to another scenario", ErrDamaged)
			}
			return nil
		})
	})
	if err != nil {
		return nil, time.Time{}, err
	}
	return value, expires, nil
}

func (f *file) Delete(ctx context.Context, id string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.guard("delete a scenario", func() error {
		return f.update(housekeepingReserve, func(tx *bolt.Tx) error { return remove(tx, []byte(id)) })
	})
}

func remove(tx *bolt.Tx, id []byte) error {
	values := tx.Bucket(valuesBucket)
	known := values.Get(id)
	if known == nil {
		return nil
	}
	stamp := stampOf(expiryOf(tx, id, known))
	return errors.Join(
		tx.Bucket(expiryBucket).Delete(append(stamp, id...)),
		tx.Bucket(untilBucket).Delete(id),
		values.Delete(id),
	)
}

func (f *file) Backup(ctx context.Context, start func(int64) io.Writer) error {
	return f.guard("back up the store", func() error {
		return f.db.View(func(tx *bolt.Tx) error {
			target := start(tx.Size())
			_, err := tx.WriteTo(target)
			return errors.Join(err, ctx.Err())
		})
	})
}

// Close closes the file. For a damaged file, it only releases the file and its lock,
// because bbolt may still hold locks that the failed operation took, and would wait for
// the end of a backup.
func (f *file) Close() error {
	if f.isDamaged.Load() {
		return errors.Join(unlockFile(f.handle), f.handle.Close())
	}
	return f.db.Close()
}

// fileError wraps an error of the file with the failed operation.
func fileError(operation string, err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNotFound):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT), errors.Is(err, bolterrors.ErrMaxSizeReached):
		return fmt.Errorf("%s: %w: %w", operation, ErrFull, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: %w: %w", operation, ErrReadOnly, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}
