//go:build !js

package share

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"
)

// Earlier versions stored all links in one bbolt file.
var (
	// valuesBucket maps an id to a stamp followed by the value.
	valuesBucket = []byte("values")
	// untilBucket maps an id to a stamp that replaces the one before the value.
	untilBucket = []byte("until")
)

// stampSize is the length of a stamp: the expiry in Unix seconds in big-endian order, or 0
// for never.
const stampSize = 8

// lockTimeout is the time to wait for another process to close a bbolt file.
const lockTimeout = time.Second

// importFile copies the links of a bbolt file, which remains unchanged, and logs what it
// cannot read. A missing or empty file has no links. It returns an error if it may succeed
// later.
func (f *folder) importFile(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (info.IsDir() || info.Size() == 0) {
		return nil
	}
	if err != nil {
		return err
	}
	db, err := openBolt(path)
	switch _, isSystem := errors.AsType[syscall.Errno](err); {
	case errors.Is(err, bolterrors.ErrTimeout):
		return fmt.Errorf("%w: %w", ErrInUse, err)
	case isSystem:
		return err
	case err != nil:
		f.log.Error("the short links of an earlier version are lost, because their file is damaged", "file", path, "error", err)
		return nil
	}
	defer db.Close()
	copied := importer{folder: f}
	if err := copied.run(ctx, db); err != nil {
		return err
	}
	if copied.failure != nil {
		f.log.Error("some short links of an earlier version are lost, because their file is damaged", "file", path, "error", copied.failure)
	}
	f.log.Info("the short links of an earlier version were imported", "file", path, "folder", f.path, "count", copied.count)
	return nil
}

func openBolt(path string) (db *bolt.DB, err error) {
	err = guarded(func() (err error) {
		db, err = bolt.Open(path, 0, &bolt.Options{ReadOnly: true, Timeout: lockTimeout})
		return err
	})
	return db, err
}

// guarded calls read. Reading a damaged bbolt file can panic, and reading beyond the end
// of a truncated file is a memory fault. Both become ErrDamaged.
func guarded(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, reason)
		}
	}()
	return read()
}

// importer copies links from a bbolt file to a folder.
type importer struct {
	folder *folder
	links  []Link
	// size is the size of the values of links in bytes.
	size int
	// count is the number of copied links.
	count int
	// failure is the first reason why links cannot be read.
	failure error
}

// run reads the links with each possible start of an id separately, so that damage to a
// page loses only links with the same start.
func (i *importer) run(ctx context.Context, db *bolt.DB) error {
	return db.View(func(tx *bolt.Tx) error {
		for _, first := range idDigits {
			for _, second := range idDigits {
				start := []byte(string(first) + string(second))
				i.note(guarded(func() error { return i.read(tx, start) }))
				if len(i.links) < batchLinks && i.size < batchBytes {
					continue
				}
				if err := i.flush(ctx); err != nil {
					return err
				}
			}
		}
		return i.flush(ctx)
	})
}

func (i *importer) note(failure error) {
	if i.failure == nil {
		i.failure = failure
	}
}

func (i *importer) read(tx *bolt.Tx, start []byte) error {
	values := tx.Bucket(valuesBucket)
	if values == nil {
		return nil
	}
	cursor := values.Cursor()
	for id, record := cursor.Seek(start); bytes.HasPrefix(id, start); id, record = cursor.Next() {
		if len(record) < stampSize || !Matches(string(id), record[stampSize:]) {
			i.note(fmt.Errorf("%w: the link %s leads to another scenario", ErrDamaged, id))
			continue
		}
		expires := timeOf(record)
		i.note(guarded(func() error {
			if until := tx.Bucket(untilBucket); until != nil && len(until.Get(id)) == stampSize {
				expires = timeOf(until.Get(id))
			}
			return nil
		}))
		if !hasExpired(expires, time.Now()) {
			i.links = append(i.links, Link{string(id), expires, string(record[stampSize:])})
			i.size += len(record)
		}
	}
	return nil
}

func (i *importer) flush(ctx context.Context) error {
	err := i.folder.PutAll(ctx, i.links)
	if err == nil {
		i.count += len(i.links)
	}
	i.links, i.size = nil, 0
	return err
}

// timeOf returns the time of the stamp at the start of a record.
func timeOf(record []byte) time.Time {
	seconds := binary.BigEndian.Uint64(record)
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(int64(seconds), 0).UTC()
}
