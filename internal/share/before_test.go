//go:build !js

package share_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/crdlab/crdlab/internal/share"
)

// writeBefore writes the bbolt file of an earlier version with some scenarios, and returns
// its content. Each third never expires, and each third was extended by an hour.
func writeBefore(t *testing.T, path string, links int, expires time.Time) []byte {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		values, err := tx.CreateBucketIfNotExists([]byte("values"))
		if err != nil {
			return err
		}
		until, err := tx.CreateBucketIfNotExists([]byte("until"))
		for i := range links {
			id, value := scenario(i, 300)
			if i%3 == 0 {
				err = errors.Join(err, values.Put([]byte(id), append(stamp(time.Time{}), value...)))
				continue
			}
			err = errors.Join(err, values.Put([]byte(id), append(stamp(expires), value...)))
			if i%3 == 2 {
				err = errors.Join(err, until.Put([]byte(id), stamp(expires.Add(time.Hour))))
			}
		}
		return err
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func stamp(t time.Time) []byte {
	if t.IsZero() {
		return make([]byte, 8)
	}
	return binary.BigEndian.AppendUint64(nil, uint64(t.Unix()))
}

// found returns the number of links with the first numbers that a store has.
func found(t *testing.T, store share.Store, links int, expires time.Time) (n int) {
	t.Helper()
	for i := range links {
		id, want := scenario(i, 300)
		value, until, err := store.Get(t.Context(), id)
		if errors.Is(err, share.ErrNotFound) {
			continue
		}
		n++
		if err != nil || !bytes.Equal(value, want) || until.IsZero() != (i%3 == 0) || i%3 > 0 && until.Before(expires) {
			t.Errorf("%d: %d bytes until %v, %v", i, len(value), until, err)
		}
	}
	return n
}

func TestImportFile(t *testing.T) {
	const links = 100
	expires := time.Now().Add(time.Hour).Truncate(time.Second).UTC()
	for _, names := range [][2]string{{"bbolt:%s/links.db", "links"}, {"file:%s/links", "links"}, {"bbolt:%s/other", "other.links"}} {
		directory := fastDirectory(t)
		address := fmt.Sprintf(names[0], directory)
		path := strings.TrimSuffix(filepath.Join(directory, names[1]), ".links")
		if !strings.Contains(names[0], "other") {
			path += ".db"
		}
		content := writeBefore(t, path, links, expires)
		store := open(t, address)
		if n := found(t, store, links, expires); n != links {
			t.Errorf("%s: imported %d links", address, n)
		}
		extended, _ := scenario(2, 300)
		if _, until, err := store.Get(t.Context(), extended); err != nil || !until.Equal(expires.Add(time.Hour)) {
			t.Errorf("%s: an extended link expires at %v, %v", address, until, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, content) {
			t.Errorf("%s: the file has changed: %v", address, err)
		}
		if _, err := os.Stat(filepath.Join(directory, names[1], "lock")); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestImportOnce deletes an imported link. It stays deleted.
func TestImportOnce(t *testing.T) {
	directory := fastDirectory(t)
	expires := time.Now().Add(time.Hour)
	writeBefore(t, filepath.Join(directory, "links.db"), 3, expires)
	id, _ := scenario(1, 300)
	for _, want := range []int{3, 2} {
		store, err := share.Open(t.Context(), "file:"+directory+"/links", share.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := found(t, store, 3, expires.Truncate(time.Second)); n != want {
			t.Errorf("found %d links, want %d", n, want)
		}
		if err := errors.Join(store.Delete(t.Context(), id), store.Close()); err != nil {
			t.Error(err)
		}
	}
}

// TestInterruptedImport kills processes that import a file. The next one repeats it.
func TestInterruptedImport(t *testing.T) {
	const links = 2000
	directory := fastDirectory(t)
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	writeBefore(t, filepath.Join(directory, "links.db"), links, expires)
	address := "file:" + directory + "/links"
	interrupted := false
	for i := range 5 {
		process := startModel(t, address)
		time.Sleep(time.Duration(30+10*i) * time.Millisecond)
		process.kill()
		lock, err := os.ReadFile(filepath.Join(directory, "links", "lock"))
		interrupted = interrupted || err == nil && len(lock) == 0
	}
	if !interrupted {
		t.Log("each import was complete or had not begun")
	}
	if n := found(t, open(t, address), links, expires); n != links {
		t.Errorf("found %d of %d links", n, links)
	}
}

// TestImportDamagedFile imports files with damage at many places. The server must not
// crash, and all links that the damage did not reach must remain.
func TestImportDamagedFile(t *testing.T) {
	const links, pageSize = 400, 4096
	expires := time.Now().Add(time.Hour).Truncate(time.Second)
	directory := fastDirectory(t)
	content := writeBefore(t, filepath.Join(directory, "sound.db"), links, expires)
	try := func(damaged []byte) (n int, log string) {
		directory := fastDirectory(t)
		path := filepath.Join(directory, "links.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		var lines bytes.Buffer
		store, err := share.Open(t.Context(), "bbolt:"+path, share.Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		n = found(t, store, links, expires)
		id, value := scenario(-1, 30)
		if err := store.Put(t.Context(), id, value, time.Time{}); err != nil {
			t.Errorf("put: %v", err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, damaged) {
			t.Errorf("the file has changed: %v", err)
		}
		return n, lines.String()
	}
	total, pages := 0, 0
	for at := 2 * pageSize; at < len(content); at += pageSize {
		damaged := bytes.Clone(content)
		clear(damaged[at:min(at+pageSize, len(content))])
		n, log := try(damaged)
		if n < links && !strings.Contains(log, "are lost") {
			t.Errorf("a zeroed page at %d: %d links, and the log: %s", at, n, log)
		}
		total += n
		pages++
	}
	t.Logf("%d zeroed pages: %d %% of the links were imported", pages, 100*total/pages/links)
	if total < pages*links*9/10 {
		t.Errorf("only %d of %d links were imported", total, pages*links)
	}
	for i := range 40 {
		n, log := try(content[:len(content)*i/40])
		if n < links && i > 0 && !strings.Contains(log, "are lost") {
			t.Errorf("truncated at %d/40: %d links, and the log: %s", i, n, log)
		}
	}
	if _, log := try(bytes.Repeat([]byte("garbage "), 4096)); strings.Count(log, "are lost") != 1 {
		t.Errorf("the log: %s", log)
	}
}

// TestImportWaits does not start without the links of a file that another process uses.
func TestImportWaits(t *testing.T) {
	path := filepath.Join(fastDirectory(t), "links.db")
	writeBefore(t, path, 3, time.Now().Add(time.Hour))
	used, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer used.Close()
	if _, err := share.Open(t.Context(), "bbolt:"+path, share.Options{}); !errors.Is(err, share.ErrInUse) {
		t.Error(err)
	}
}
