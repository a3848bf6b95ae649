//go:build !js

package share

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	bolt "go.etcd.io/bbolt"
)

// openChecked opens the store in a file. It first checks the file. If it is damaged, it
// keeps the file under another name and continues with a new file, which contains all
// readable links.
func openChecked(ctx context.Context, path string, o Options) (Store, error) {
	err := o.checkFile(ctx, path)
	if errors.Is(err, ErrDamaged) {
		o.Log.Error("the file of the short links is damaged", "file", path, "error", err)
		err = repair(path, o.Log)
	}
	if err != nil {
		return nil, err
	}
	return OpenFile(path, int(o.Quota))
}

// checkFile checks a file with the check command, or in this process without one.
func (o Options) checkFile(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0:
		return nil
	case err != nil:
		return fmt.Errorf("check the store: %w", err)
	case o.CheckCommand == nil:
		return CheckFile(path)
	}
	return checkInChild(ctx, o.CheckCommand(path), checkTime(info.Size()))
}

// repair replaces a damaged file by a new one with its readable links. The damaged file
// keeps its content and gets the name of the file with the suffix ".damaged-TIME".
func repair(path string, log *slog.Logger) error {
	damaged, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("repair the store: %w", err)
	}
	defer damaged.Close()
	if err := lockFile(damaged); err != nil {
		return fmt.Errorf("repair the store %s: lock: %w", path, err)
	}
	info, err := damaged.Stat()
	if err != nil {
		return fmt.Errorf("repair the store: %w", err)
	}
	if !isStore(damaged, info.Size()) {
		return fmt.Errorf("repair the store %s: it is another kind of file, and remains unchanged", path)
	}
	copied := path + ".salvaged"
	links, full, err := copyReadable(damaged, info.Size(), copied)
	if err != nil {
		return errors.Join(fmt.Errorf("repair the store %s: %w", path, err), removeIfExists(copied))
	}
	kept, err := keepAside(path, copied, time.Now())
	if err != nil {
		return fmt.Errorf("repair the store %s: %w", path, err)
	}
	log.Warn("the readable short links were copied to a new file", "file", path, "links", links, "damaged file", kept)
	if full != nil {
		log.Error("some readable short links were not copied: make room, and copy them from the damaged file", "damaged file", kept, "error", full)
	}
	return nil
}

// isStore reports whether a damaged file can have been a store: it has a trace of a bbolt
// header, or its start was lost.
func isStore(file io.ReaderAt, size int64) bool {
	for _, at := range []int64{0, usualPageSize, int64(os.Getpagesize())} {
		start := make([]byte, pageHeaderSize+8)
		n, _ := file.ReadAt(start, at)
		isZero := string(start[:n]) == string(make([]byte, n))
		if isZero || n == len(start) && string(start[pageHeaderSize:]) == "\xed\xda\x0c\xed\x02\x00\x00\x00" {
			return true
		}
	}
	return size < pageHeaderSize+8
}

// copyReadable copies the readable links to a new file, and returns their number. full
// is the reason if not all of them have room.
func copyReadable(damaged io.ReaderAt, size int64, path string) (links int, full, err error) {
	if err := removeIfExists(path); err != nil {
		return 0, nil, err
	}
	store, err := OpenFile(path, 0)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	target := &batch{file: store.(*file)}
	until := map[string]time.Time{}
	reading := salvager{
		file: damaged, size: size,
		value: target.add,
		until: func(id string, expires time.Time) error {
			if known, ok := until[id]; !ok || later(known, expires).Equal(expires) {
				until[id] = expires
			}
			return nil
		},
	}
	err = reading.run()
	if err == nil {
		err = target.flush()
	}
	if errors.Is(err, ErrFull) {
		full, err = err, nil
	}
	if err != nil {
		return 0, nil, err
	}
	if err := target.setExpiries(until); err != nil {
		return 0, nil, err
	}
	return target.count, full, nil
}

// batch writes salvaged values in few transactions.
type batch struct {
	file  *file
	items []salvaged
	size  int
	// count is the number of written values.
	count int
}

type salvaged struct {
	id      string
	value   []byte
	expires time.Time
}

// batchSize limits the size in bytes of a transaction.
const batchSize = 8 << 20

func (b *batch) add(id string, value []byte, expires time.Time) error {
	b.items = append(b.items, salvaged{id, value, expires})
	b.size += len(value)
	if b.size < batchSize && len(b.items) < sweepBatch {
		return nil
	}
	return b.flush()
}

// flush writes the pending values. Of two copies of a value, the later expiry counts.
func (b *batch) flush() error {
	added := 0
	err := b.file.guard("copy the readable links", func() error {
		return b.file.update(0, func(tx *bolt.Tx) error {
			for _, item := range b.items {
				id := []byte(item.id)
				known := tx.Bucket(valuesBucket).Get(id)
				if known == nil {
					if err := insert(tx, item.id, item.value, item.expires); err != nil {
						return err
					}
					added++
					continue
				}
				until := expiryOf(tx, id, known)
				if err := setExpiry(tx, id, until, later(until, item.expires)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err == nil {
		b.count += added
	}
	b.items, b.size = nil, 0
	return err
}

// setExpiries changes the expiries of the written values.
func (b *batch) setExpiries(until map[string]time.Time) error {
	return b.file.guard("copy the expiries of links", func() error {
		return b.file.update(0, func(tx *bolt.Tx) error {
			for id, expires := range until {
				known := tx.Bucket(valuesBucket).Get([]byte(id))
				if known == nil {
					continue
				}
				if err := setExpiry(tx, []byte(id), expiryOf(tx, []byte(id), known), expires); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// keepAside gives the damaged file another name, and its name to the copy. If the process
// is killed in between, either file has the name.
func keepAside(path, copied string, now time.Time) (kept string, err error) {
	kept = path + ".damaged-" + now.UTC().Format("20060102T150405.000Z")
	if err := os.Link(path, kept); err != nil {
		// The file system has no links. A kill between the renames leaves an empty store.
		if err := os.Rename(path, kept); err != nil {
			return "", err
		}
	}
	if err := os.Rename(copied, path); err != nil {
		return "", err
	}
	return kept, syncDirectory(filepath.Dir(path))
}

func removeIfExists(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
