//go:build !js

package share

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// lockName is the file whose lock keeps other processes out of a folder. It contains
	// folderFormat.
	lockName     = "lock"
	folderFormat = "crdlab links 1\n"
	// shardLength is the number of characters of an id that name its subfolder.
	shardLength = 2
	// newPrefix starts the names of files that are being written. No id starts with a dot.
	newPrefix = ".new-"
	// blockSize is the unit in bytes in which files fill a disk and the quota.
	blockSize = 4 << 10
)

// New links leave this much of the disk free, so that links can get a later expiry on a
// full disk: their files are written anew.
const (
	reservedBytes = 8 << 20
	reservedFiles = 100
)

// writers is the number of links that are written at the same time. The disk syncs them
// together.
const writers = 16

// folder is a store with one file for each link, so damage to a file loses one link. A
// file has the link's id as its name. Its first line holds the expiry, and the rest is the
// value. Only one process can open a folder.
type folder struct {
	path string
	lock *os.File
	log  *slog.Logger
	// quota limits used. 0 means no limit.
	quota int64
	// used is the size of all files in full blocks.
	used atomic.Int64
	// changing serializes the changes of a link, which belongs to one of the locks.
	changing [64]sync.Mutex
}

// openFolder opens the store in a folder, and creates the folder if necessary.
func openFolder(ctx context.Context, path string, o Options) (Store, error) {
	f := &folder{path: path, log: o.Log}
	if err := f.open(ctx); err != nil {
		return nil, errors.Join(fileError("open the store "+path, err), f.Close())
	}
	f.quota = o.Quota
	return f, nil
}

func (f *folder) open(ctx context.Context) (err error) {
	if f.lock, err = lockFolder(f.path); err != nil {
		return err
	}
	if err := f.measure(ctx); err != nil {
		return err
	}
	format, err := io.ReadAll(f.lock)
	switch {
	case err != nil || string(format) == folderFormat:
		return err
	case !strings.HasPrefix(folderFormat, string(format)):
		return fmt.Errorf("%s has an unknown format: %.40q", f.lock.Name(), format)
	}
	if _, err := f.lock.WriteAt([]byte(folderFormat), 0); err != nil {
		return err
	}
	return errors.Join(f.lock.Sync(), syncDirectory(f.path), syncDirectory(filepath.Dir(f.path)))
}

// lockFolder creates a folder if necessary, and locks it until the result is closed.
func lockFolder(path string) (*os.File, error) {
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	name := filepath.Join(path, lockName)
	lock, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, syscall.EROFS) {
		lock, err = os.Open(name)
	}
	if err != nil {
		return nil, err
	}
	if err := lockFile(lock); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w: %w", path, ErrInUse, err), lock.Close())
	}
	return lock, nil
}

// measure determines the used space, and removes files whose writing was interrupted.
func (f *folder) measure(ctx context.Context) error {
	return f.each(ctx, func(path string) error {
		if strings.HasPrefix(filepath.Base(path), newPrefix) {
			_ = os.Remove(path) // fails if the disk is read-only
			return nil
		}
		f.used.Add(usedBy(path))
		return nil
	})
}

// usedBy returns the size of a file in full blocks, or 0 for a missing file.
func usedBy(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	return inBlocks(info.Size())
}

func inBlocks(size int64) int64 { return (size + blockSize - 1) / blockSize * blockSize }

func (f *folder) Put(ctx context.Context, id string, value []byte, expires time.Time) error {
	path, err := f.locate(ctx, id)
	if err != nil {
		return err
	}
	defer f.change(id)()
	expires = ceilSecond(expires)
	known, until, err := readLink(path)
	switch {
	case err == nil && later(until, expires).Equal(until):
		err = f.sync(path) // an earlier attempt may have failed to
	case err == nil:
		err = f.write(path, known, later(until, expires))
	case errors.Is(err, ErrNotFound), errors.Is(err, ErrDamaged):
		err = f.add(path, value, expires)
	}
	return fileError("store a scenario", err)
}

// PutAll may store some of the links before an error.
func (f *folder) PutAll(ctx context.Context, links []Link) error {
	var group sync.WaitGroup
	var started atomic.Int64
	errs := make([]error, writers)
	for writer := range errs {
		group.Go(func() {
			for errs[writer] == nil {
				i := int(started.Add(1)) - 1
				if i >= len(links) {
					return
				}
				errs[writer] = f.Put(ctx, links[i].ID, []byte(links[i].Value), links[i].Expires)
			}
		})
	}
	group.Wait()
	return cmp.Or(errs...)
}

func (f *folder) Get(ctx context.Context, id string) ([]byte, time.Time, error) {
	path, err := f.locate(ctx, id)
	if err != nil {
		return nil, time.Time{}, err
	}
	value, expires, err := readLink(path)
	if err == nil && hasExpired(expires, time.Now()) {
		err = ErrNotFound
	}
	if err != nil {
		return nil, time.Time{}, fileError("read a scenario", err)
	}
	return value, expires, nil
}

func (f *folder) Extend(ctx context.Context, id string, expires time.Time) error {
	path, err := f.locate(ctx, id)
	if err != nil {
		return err
	}
	defer f.change(id)()
	value, until, err := readLink(path)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if to := later(until, ceilSecond(expires)); err == nil && !to.Equal(until) {
		err = f.write(path, value, to)
	}
	return fileError("extend a link", err)
}

func (f *folder) Delete(ctx context.Context, id string) error {
	path, err := f.locate(ctx, id)
	if err != nil {
		return err
	}
	defer f.change(id)()
	err = f.remove(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = f.sync(path)
	}
	return fileError("delete a scenario", err)
}

func (f *folder) remove(path string) error {
	size := usedBy(path)
	err := os.Remove(path)
	if err == nil {
		f.used.Add(-size)
	}
	return err
}

// Close lets other processes open the folder.
func (f *folder) Close() error {
	if f.lock == nil {
		return nil
	}
	return f.lock.Close()
}

// locate returns the file of a link.
func (f *folder) locate(ctx context.Context, id string) (path string, err error) {
	if !filepath.IsLocal(id) || strings.HasPrefix(id, ".") || strings.ContainsAny(id, `/\`) {
		return "", fmt.Errorf("%q cannot be the id of a link", id)
	}
	return filepath.Join(f.path, id[:min(shardLength, len(id))], id), ctx.Err()
}

// change waits for other changes of a link, and returns a function that ends this one.
func (f *folder) change(id string) (end func()) {
	lock := &f.changing[crc32.ChecksumIEEE([]byte(id))%uint32(len(f.changing))]
	lock.Lock()
	return lock.Unlock
}

// add writes a new link if there is room for it.
func (f *folder) add(path string, value []byte, expires time.Time) error {
	size := inBlocks(int64(len(header(path, expires)) + len(value)))
	defer f.used.Add(-size) // write counts the file
	if used := f.used.Add(size); f.quota > 0 && used > f.quota {
		return fmt.Errorf("%w: the quota is %d bytes", ErrFull, f.quota)
	}
	free, files, err := freeSpace(f.lock)
	switch {
	case err != nil:
		return fmt.Errorf("read the free space: %w", err)
	case free < size+reservedBytes || files < reservedFiles:
		return fmt.Errorf("%w: the disk has %d bytes and %d files left", ErrFull, free, files)
	}
	return f.write(path, value, expires)
}

// write replaces a file at once: after a crash, it has the old or the new content.
func (f *folder) write(path string, value []byte, expires time.Time) error {
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	written, err := writeNew(filepath.Dir(path), header(path, expires), value)
	if err != nil {
		return err
	}
	before := usedBy(path)
	if err := os.Rename(written, path); err != nil {
		return errors.Join(err, os.Remove(written))
	}
	f.used.Add(usedBy(path) - before)
	return f.sync(path)
}

// writeNew writes a new file in a folder to the disk, and returns its path.
func writeNew(folder string, parts ...[]byte) (path string, err error) {
	file, err := os.CreateTemp(folder, newPrefix+"*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(bytes.Join(parts, nil))
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// sync makes a new name in a subfolder, and the subfolder itself, durable.
func (f *folder) sync(path string) error {
	return errors.Join(syncDirectory(filepath.Dir(path)), syncDirectory(f.path))
}

// readLink reads the file of a link. It returns ErrNotFound for a missing file.
func readLink(path string) (value []byte, expires time.Time, err error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, time.Time{}, missing(err)
	}
	expires, value, err = parse(path, content)
	if id := filepath.Base(path); err == nil && IsID(id) && !Matches(id, value) {
		err = fmt.Errorf("%w: the file of the link %s has another scenario", ErrDamaged, id)
	}
	return value, expires, err
}

// readExpiry reads only the first line of a file. It does not notice a damaged value.
func readExpiry(path string) (time.Time, error) {
	file, err := os.Open(path)
	if err != nil {
		return time.Time{}, missing(err)
	}
	defer file.Close()
	start := make([]byte, 64)
	n, err := file.Read(start)
	if err != nil && !errors.Is(err, io.EOF) {
		return time.Time{}, err
	}
	expires, _, err := parse(path, start[:n])
	return expires, err
}

func missing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

// header returns the first line of a file: the expiry in Unix seconds, or 0 for never, and
// a checksum that includes the id. The id itself is the checksum of the value.
func header(path string, expires time.Time) []byte {
	stamp := int64(0)
	if !expires.IsZero() {
		stamp = expires.Unix()
	}
	sum := crc32.ChecksumIEEE(fmt.Appendf(nil, "%d %s", stamp, filepath.Base(path)))
	return fmt.Appendf(nil, "crdlab link 1 %d %08x\n", stamp, sum)
}

// parse splits the content of a file.
func parse(path string, content []byte) (expires time.Time, value []byte, err error) {
	var stamp int64
	if _, err := fmt.Sscanf(string(content[:min(len(content), 64)]), "crdlab link 1 %d", &stamp); err == nil && stamp != 0 {
		expires = time.Unix(stamp, 0).UTC()
	}
	value, isSound := bytes.CutPrefix(content, header(path, expires))
	if !isSound {
		return time.Time{}, nil, fmt.Errorf("%w: the file of the link %s has no valid first line", ErrDamaged, filepath.Base(path))
	}
	return expires, value, nil
}

// fileError wraps an error of a file with the failed operation.
func fileError(operation string, err error) error {
	switch {
	case err == nil, errors.Is(err, ErrNotFound):
		return err
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%s: %w: %w", operation, ErrFull, err)
	case errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: %w: %w", operation, ErrReadOnly, err)
	}
	return fmt.Errorf("%s: %w", operation, err)
}
