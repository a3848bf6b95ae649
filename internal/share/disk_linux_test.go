package share_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// TestFullDisk checks that stored values stay readable on a full file system, and
// that deletions free space.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("a small file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	store := open(t, "file://"+filepath.Join(disk, "links"))
	stored := fill(t, store)
	for _, id := range stored {
		if value, _, err := store.Get(t.Context(), id); err != nil || !share.Matches(id, value) {
			t.Errorf("%s of %d: %d bytes, %v", id, len(stored), len(value), err)
		}
	}
	for _, id := range stored[:len(stored)/2] {
		if err := store.Delete(t.Context(), id); err != nil {
			t.Errorf("delete from a full disk: %v", err)
		}
	}
	id, value := scenario(-1, 3000)
	if err := store.Put(t.Context(), id, value, time.Time{}); err != nil {
		t.Errorf("put after a deletion: %v", err)
	}
}

// fill stores values until the store is full and returns their ids.
func fill(t *testing.T, store share.Store) []string {
	t.Helper()
	var ids []string
	for i := range 10_000 {
		id, value := scenario(i, 3000)
		err := store.Put(t.Context(), id, value, time.Time{})
		if errors.Is(err, share.ErrFull) {
			return ids
		}
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	t.Fatal("the store never reports a full disk")
	return nil
}

// TestReadOnlyDisk opens a store on a disk that cannot be written.
func TestReadOnlyDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=16m"); err != nil {
		t.Skipf("a file system cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	address := "file://" + filepath.Join(disk, "links")
	id, value := scenario(1, 30)
	before, err := share.Open(t.Context(), address, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(before.Put(t.Context(), id, value, time.Time{}), before.Close(), syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	if err != nil {
		t.Fatal(err)
	}
	store := open(t, address)
	if got, _, err := store.Get(t.Context(), id); err != nil || !bytes.Equal(got, value) {
		t.Errorf("get: %v", err)
	}
	other, value := scenario(2, 30)
	if err := store.Put(t.Context(), other, value, time.Time{}); !errors.Is(err, share.ErrReadOnly) {
		t.Errorf("put: %v", err)
	}
	if err := store.Delete(t.Context(), id); !errors.Is(err, share.ErrReadOnly) {
		t.Errorf("delete: %v", err)
	}
}
