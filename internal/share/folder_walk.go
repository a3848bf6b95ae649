//go:build !js

package share

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// each calls visit for each file in the order of the ids, until visit returns an error.
func (f *folder) each(ctx context.Context, visit func(path string) error) error {
	shards, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	for _, shard := range shards {
		if !shard.IsDir() || len(shard.Name()) > shardLength {
			continue
		}
		files, err := os.ReadDir(filepath.Join(f.path, shard.Name()))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := visit(filepath.Join(f.path, shard.Name(), file.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *folder) Links(ctx context.Context, yield func(Link) error) error {
	now := time.Now()
	return fileError("read the links", f.each(ctx, func(path string) error {
		value, expires, err := readLink(path)
		if errors.Is(err, ErrDamaged) {
			f.log.Error("a damaged link is left out", "file", path, "error", err)
		}
		if err != nil || hasExpired(expires, now) {
			return unlessLost(err)
		}
		return yield(Link{filepath.Base(path), expires, string(value)})
	}))
}

// Backup writes an export.
func (f *folder) Backup(ctx context.Context, start func() io.Writer) error {
	_, err := Export(ctx, f, start())
	return err
}

func (f *folder) DeleteExpired(ctx context.Context, now time.Time) (int, error) {
	isOver := func(expires time.Time) bool { return hasExpired(expires, now) }
	return f.changeAll(ctx, "sweep the store", isOver, f.remove)
}

func (f *folder) ExpireAll(ctx context.Context, expires time.Time) (int, error) {
	return f.changeAll(ctx, "limit the lifetime of links", time.Time.IsZero, func(path string) error {
		value, _, err := readLink(path)
		if err != nil {
			return err
		}
		return f.write(path, value, ceilSecond(expires))
	})
}

// changeAll calls apply for each link with a selected expiry, and returns the number of
// changed links. It ignores damaged links.
func (f *folder) changeAll(ctx context.Context, operation string, selects func(expires time.Time) bool, apply func(path string) error) (n int, err error) {
	err = f.each(ctx, func(path string) error {
		defer f.change(filepath.Base(path))()
		expires, err := readExpiry(path)
		if err != nil || !selects(expires) {
			return unlessLost(err)
		}
		if err := apply(path); err != nil {
			return unlessLost(err)
		}
		n++
		return nil
	})
	return n, fileError(operation, err)
}

// unlessLost returns an error unless it means that a link is missing or damaged.
func unlessLost(err error) error {
	if errors.Is(err, ErrNotFound) || errors.Is(err, ErrDamaged) {
		return nil
	}
	return err
}
