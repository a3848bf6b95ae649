//go:build !js

package share_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// linkFile returns the file of a link in a folder.
func linkFile(folder, id string) string { return filepath.Join(folder, id[:2], id) }

// TestDamagedFile damages the file of one link in each possible way. The store must
// report only this link, and a new Put must restore it.
func TestDamagedFile(t *testing.T) {
	folder := filepath.Join(fastDirectory(t), "links")
	var log bytes.Buffer
	store, err := share.CreateArchive(t.Context(), "file://"+folder, share.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	id, value := scenario(1, 30)
	sound, other := scenario(2, 300)
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	try(store.Put(t.Context(), id, value, expires))
	try(store.Put(t.Context(), sound, other, expires.Add(time.Hour)))
	content, err := os.ReadFile(linkFile(folder, id))
	try(err)
	another, err := os.ReadFile(linkFile(folder, sound))
	try(err)
	for name, damaged := range damages(content, another) {
		try(os.WriteFile(linkFile(folder, id), damaged, 0o600))
		_, _, err = store.Get(t.Context(), id)
		if !errors.Is(err, share.ErrDamaged) || !strings.Contains(err.Error(), id) {
			t.Errorf("%s: get: %v", name, err)
		}
		if got, _, err := store.Get(t.Context(), sound); err != nil || !bytes.Equal(got, other) {
			t.Errorf("%s: the other link: %v", name, err)
		}
		var export bytes.Buffer
		log.Reset()
		n, err := share.Export(t.Context(), store, &export)
		if n != 1 || err != nil || strings.Count(log.String(), id) == 0 {
			t.Errorf("%s: exported %d links, %v; the log: %s", name, n, err, &log)
		}
		if n, err := store.DeleteExpired(t.Context(), time.Now()); n != 0 || err != nil {
			t.Errorf("%s: swept %d, %v", name, n, err)
		}
		if n, err := store.ExpireAll(t.Context(), expires); n != 0 || err != nil {
			t.Errorf("%s: limited %d, %v", name, n, err)
		}
		try(store.Put(t.Context(), id, value, expires))
		if got, until, err := store.Get(t.Context(), id); err != nil || !bytes.Equal(got, value) || !until.Equal(expires) {
			t.Errorf("%s: after another put: %q until %v, %v", name, got, until, err)
		}
	}
	try(os.WriteFile(linkFile(folder, id), nil, 0o600))
	try(store.Delete(t.Context(), id))
	if _, _, err := store.Get(t.Context(), id); !errors.Is(err, share.ErrNotFound) {
		t.Errorf("a deleted damaged link: %v", err)
	}
}

// damages returns damaged forms of a file: truncated at each byte, and with each bit
// flipped, beside others.
func damages(content, another []byte) map[string][]byte {
	all := map[string][]byte{
		"zeros":        make([]byte, len(content)),
		"garbage":      bytes.Repeat([]byte("garbage "), 1000),
		"longer":       append(bytes.Clone(content), 0),
		"another link": another,
	}
	for i := range content {
		all["truncated at "+string(content[:i])] = content[:i]
		for bit := range 8 {
			flipped := bytes.Clone(content)
			flipped[i] ^= 1 << bit
			all["flipped to "+string(flipped)] = flipped
		}
	}
	return all
}

// TestCopiedFolder copies the files of a store to another folder. Modification times get lost.
func TestCopiedFolder(t *testing.T) {
	folder := filepath.Join(fastDirectory(t), "links")
	store := openArchive(t, "file://"+folder)
	putScenario(t, store, 1, time.Now().Add(time.Hour))
	putScenario(t, store, 2, time.Time{})
	if err := os.CopyFS(folder+"-copy", os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	if got, want := export(t, openArchive(t, "file://"+folder+"-copy"), 2), export(t, store, 2); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

// TestUnsafeIDs uses ids that would lead out of the folder.
func TestUnsafeIDs(t *testing.T) {
	folder := filepath.Join(fastDirectory(t), "links")
	store := open(t, "file://"+folder)
	for _, id := range []string{"", ".", "..", "../id", "/id", "a/id", `a\id`, ".id"} {
		_, _, err := store.Get(t.Context(), id)
		if err == nil || store.Put(t.Context(), id, nil, time.Time{}) == nil || store.Delete(t.Context(), id) == nil {
			t.Errorf("%q is accepted", id)
		}
	}
}

// TestBackup restores a backup in another store.
func TestBackup(t *testing.T) {
	store := openArchive(t, fileAddress(t))
	for i := range 10 {
		putScenario(t, store, i, time.Now().Add(time.Hour))
	}
	var backup bytes.Buffer
	if err := store.Backup(t.Context(), func() io.Writer { return &backup }); err != nil {
		t.Fatal(err)
	}
	if want := export(t, store, 10); backup.String() != want {
		t.Errorf("got %s want %s", &backup, want)
	}
}
