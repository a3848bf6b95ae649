package share_test

import (
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
	store := open(t, "bbolt://"+filepath.Join(disk, "crdlab.db"))
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
