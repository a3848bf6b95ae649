//go:build !js

package share_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/crdlab/crdlab/internal/share"
)

// checkArgument turns the test binary into the process that checks the file in the
// next argument.
const checkArgument = "check"

// checkFile checks a file and exits as a check command does.
func checkFile(path string) {
	err := share.CheckFile(path)
	if err == nil {
		os.Exit(0)
	}
	fmt.Fprintln(os.Stderr, err)
	if errors.Is(err, share.ErrDamaged) {
		os.Exit(share.DamagedStatus)
	}
	os.Exit(1)
}

// checked are options that check a file in a child process, and log to the writer.
func checked(log *bytes.Buffer) share.Options {
	return share.Options{
		CheckCommand: func(path string) *exec.Cmd { return exec.Command(os.Args[0], checkArgument, path) },
		Log:          slog.New(slog.NewTextHandler(log, nil)),
	}
}

// soundFile is the content of a store's file.
type soundFile struct {
	content []byte
	// values maps ids to values, and expires to their expiries.
	values  map[string][]byte
	expires map[string]time.Time
}

// writeSound returns a file with values of several sizes. Some have an expiry, and some
// of these were extended. Other values were deleted. Each page has one copy.
func writeSound(t *testing.T, values int) soundFile {
	t.Helper()
	path := filepath.Join(fastDirectory(t), "sound.db")
	sound := soundFile{values: map[string][]byte{}, expires: map[string]time.Time{}}
	store, err := share.OpenFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	hour := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range values {
		id, value := scenario(i, []int{1, 30, 300, 3000}[i%4])
		var expires time.Time
		if i%3 > 0 {
			expires = hour
		}
		try(store.Put(t.Context(), id, value, expires))
		if i%3 == 2 {
			expires = hour.Add(time.Hour)
			try(store.Extend(t.Context(), id, expires))
		}
		sound.values[id], sound.expires[id] = value, expires
	}
	for i := range values / 10 {
		id, value := scenario(-1-i, 100)
		try(store.Put(t.Context(), id, value, hour))
		try(store.Delete(t.Context(), id))
	}
	try(store.Close())
	sound.content, err = os.ReadFile(compact(t, path))
	try(err)
	return sound
}

// compact copies a bbolt file without its free pages.
func compact(t *testing.T, path string) string {
	t.Helper()
	from, err := bolt.Open(path, 0, &bolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	to, err := bolt.Open(path+".compact", 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(bolt.Compact(to, from, 0), to.Close(), from.Close()); err != nil {
		t.Fatal(err)
	}
	return path + ".compact"
}

// openDamaged opens a store with damaged content, and returns the number of lost values.
// All other values must be unchanged, and the damaged file must be kept.
func (s soundFile) openDamaged(t *testing.T, damaged []byte) (lost []string) {
	t.Helper()
	path := filepath.Join(fastDirectory(t), "links.db")
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	store, err := share.Open(t.Context(), "bbolt://"+path, checked(&log))
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer store.Close()
	for id, want := range s.values {
		value, expires, err := store.Get(t.Context(), id)
		switch {
		case errors.Is(err, share.ErrNotFound):
			lost = append(lost, id)
		case err != nil || !bytes.Equal(value, want):
			t.Errorf("%s: %d bytes, %v; want %d bytes", id, len(value), err, len(want))
		case !expires.IsZero() && expires.Before(s.expires[id].Add(-time.Hour)) || s.expires[id].IsZero() != expires.IsZero():
			t.Errorf("%s expires at %v, want %v", id, expires, s.expires[id])
		}
	}
	id, value := scenario(-1000, 3000)
	if err := store.Put(t.Context(), id, value, time.Time{}); err != nil {
		t.Errorf("put after the repair: %v", err)
	}
	kept, err := filepath.Glob(path + ".damaged-*")
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) == 0 {
		if len(lost) > 0 && len(damaged) > 0 {
			t.Errorf("%d values are lost without a repair", len(lost))
		}
		return lost
	}
	content, err := os.ReadFile(kept[0])
	if err != nil || len(kept) > 1 || !bytes.Equal(content, damaged) {
		t.Errorf("kept %v, %d of %d bytes, %v", kept, len(content), len(damaged), err)
	}
	if !strings.Contains(log.String(), "is damaged") || !strings.Contains(log.String(), filepath.Base(kept[0])) {
		t.Errorf("the log does not report the repair:\n%s", &log)
	}
	return lost
}

// contains reports whether a file contains the value of an id.
func (s soundFile) contains(content []byte, id string) bool {
	return bytes.Contains(content, s.values[id])
}

func TestTruncatedFile(t *testing.T) {
	sound := writeSound(t, 120)
	for i := range 50 {
		damaged := sound.content[:len(sound.content)*i/50]
		t.Run(fmt.Sprintf("%d bytes", len(damaged)), func(t *testing.T) {
			t.Parallel()
			for _, id := range sound.openDamaged(t, damaged) {
				if sound.contains(damaged, id) {
					t.Errorf("%s is lost, but the file still contains it", id)
				}
			}
		})
	}
}

func TestZeroedPages(t *testing.T) {
	const pageSize = 4096
	sound := writeSound(t, 120)
	for page := 0; page < len(sound.content)/pageSize; page += max(1, len(sound.content)/pageSize/40) {
		t.Run(fmt.Sprintf("page %d", page), func(t *testing.T) {
			t.Parallel()
			damaged := bytes.Clone(sound.content)
			clear(damaged[page*pageSize : (page+1)*pageSize])
			// A page holds few links, and each header page protects the other.
			if lost := sound.openDamaged(t, damaged); len(lost) > 25 || page < 2 && len(lost) > 0 {
				t.Errorf("%d of %d values are lost", len(lost), len(sound.values))
			}
		})
	}
	t.Run("both headers", func(t *testing.T) {
		damaged := bytes.Clone(sound.content)
		clear(damaged[:2*pageSize])
		if lost := sound.openDamaged(t, damaged); len(lost) > 0 {
			t.Errorf("%d of %d values are lost", len(lost), len(sound.values))
		}
	})
}

// TestDeletedStaysDeleted damages a file that still contains a deleted value in a free
// page. The repair must not restore it.
func TestDeletedStaysDeleted(t *testing.T) {
	const pageSize = 4096
	path := filepath.Join(fastDirectory(t), "links.db")
	store, err := share.OpenFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for i := range 40 {
		id, value := scenario(i, 300)
		if err := store.Put(t.Context(), id, value, time.Time{}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	deleted, value := scenario(0, 300)
	if err := errors.Join(store.Delete(t.Context(), deleted), store.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(content, value) {
		t.Fatal("the file does not contain the deleted value")
	}
	// Damage one of the other values.
	_, other := scenario(1, 300)
	for at := bytes.Index(content, other); at >= 0; at = bytes.Index(content, other) {
		clear(content[at : at+len(other)])
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	var found []string
	repaired := open(t, "bbolt://"+path)
	for _, id := range ids {
		if _, _, err := repaired.Get(t.Context(), id); err == nil {
			found = append(found, id)
		}
	}
	if !slices.Equal(found, ids[2:]) {
		t.Errorf("found %d values %v, want the last %d of %v", len(found), found, len(ids)-2, ids)
	}
	if content, err := os.ReadFile(path); err != nil || bytes.Contains(content, value) || len(content)%pageSize != 0 {
		t.Errorf("the new file of %d bytes contains the deleted value, %v", len(content), err)
	}
}

// TestCyclicFile opens a file whose tree has a cycle, which bbolt follows until its stack
// is exhausted.
func TestCyclicFile(t *testing.T) {
	sound := writeSound(t, 120)
	damaged := bytes.Clone(sound.content)
	const pageSize, branchPage = 4096, 1
	cycles := 0
	for at := 2 * pageSize; at < len(damaged); at += pageSize {
		if binary.LittleEndian.Uint16(damaged[at+8:]) == branchPage && binary.LittleEndian.Uint64(damaged[at:]) == uint64(at/pageSize) {
			binary.LittleEndian.PutUint64(damaged[at+24:], uint64(at/pageSize)) // the first child
			cycles++
		}
	}
	if cycles == 0 {
		t.Fatal("the file has no branch page")
	}
	if lost := sound.openDamaged(t, damaged); len(lost) > 0 {
		t.Errorf("%d of %d values are lost", len(lost), len(sound.values))
	}
}

// TestDamageInUse truncates the file of an open store. The store must survive, and open
// the file again.
func TestDamageInUse(t *testing.T) {
	sound := writeSound(t, 120)
	path := filepath.Join(fastDirectory(t), "links.db")
	if err := os.WriteFile(path, sound.content, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	store, err := share.OpenInBackground("bbolt://"+path, checked(&log))
	if err != nil {
		t.Fatal(err)
	}
	for id := range sound.values {
		if _, _, err := store.Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	damaged := sound.content[:len(sound.content)/8]
	if err := os.Truncate(path, int64(len(damaged))); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for id, want := range sound.values {
		value, _, err := store.Get(t.Context(), id)
		if errors.Is(err, share.ErrUnavailable) {
			failed++
			value, _, err = store.Get(t.Context(), id)
		}
		if err != nil && (!errors.Is(err, share.ErrNotFound) || sound.contains(damaged, id)) || err == nil && !bytes.Equal(value, want) {
			t.Errorf("%s: %d bytes, %v", id, len(value), err)
		}
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if failed != 1 || !strings.Contains(log.String(), "checked again") {
		t.Errorf("%d operations failed, want 1; the log:\n%s", failed, &log)
	}
}

// TestDamageDuringBackup finds a damaged value while a client downloads a backup. The
// store must not wait for this client.
func TestDamageDuringBackup(t *testing.T) {
	path := filepath.Join(fastDirectory(t), "links.db")
	var log bytes.Buffer
	store, err := share.OpenInBackground("bbolt://"+path, checked(&log))
	if err != nil {
		t.Fatal(err)
	}
	damaged, value := scenario(1, 300)
	sound, other := scenario(2, 300)
	err = errors.Join(
		store.Put(t.Context(), damaged, value, time.Time{}),
		store.Put(t.Context(), sound, other, time.Time{}),
		overwrite(path, value),
	)
	if err != nil {
		t.Fatal(err)
	}
	backup, download := io.Pipe()
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- store.Backup(t.Context(), func(int64) io.Writer {
			close(started)
			return download
		})
	}()
	<-started
	if _, _, err := store.Get(t.Context(), damaged); !errors.Is(err, share.ErrUnavailable) {
		t.Errorf("the damaged value: %v", err)
	}
	if got, _, err := store.Get(t.Context(), sound); err != nil || !bytes.Equal(got, other) {
		t.Errorf("the sound value: %d bytes, %v", len(got), err)
	}
	if _, _, err := store.Get(t.Context(), damaged); !errors.Is(err, share.ErrNotFound) {
		t.Errorf("the damaged value after the repair: %v", err)
	}
	if err := backup.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("the interrupted backup succeeded")
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

// overwrite replaces all copies of a value in a file by zeros.
func overwrite(path string, value []byte) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(bytes.ReplaceAll(content, value, make([]byte, len(value))), 0)
	return errors.Join(err, file.Close())
}
