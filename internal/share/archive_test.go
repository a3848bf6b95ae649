//go:build !js

package share_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

func openArchive(t *testing.T, address string) share.Archive {
	t.Helper()
	store, err := share.CreateArchive(t.Context(), address, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return store
}

func fileAddress(t *testing.T) string {
	return "file://" + filepath.Join(fastDirectory(t), "links")
}

// putScenario stores a scenario with a string that needs escapes in JSON.
func putScenario(t *testing.T, store share.Store, number int, expires time.Time) {
	t.Helper()
	id, value, err := share.Encode(playground.Scenario{CRD: fmt.Sprintf("# %d \"<é>\" \u2028 \t\\", number)})
	if err == nil {
		err = store.Put(t.Context(), id, value, expires)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func export(t *testing.T, store share.Archive, want int) string {
	t.Helper()
	var out bytes.Buffer
	if n, err := share.Export(t.Context(), store, &out); n != want || err != nil {
		t.Fatalf("exported %d links, want %d: %v", n, want, err)
	}
	return out.String()
}

// TestCopy copies links from a file to PostgreSQL and back. The exports are identical, and
// a repeated import changes nothing.
func TestCopy(t *testing.T) {
	const links = 2500 // several batches
	source := openArchive(t, fileAddress(t))
	for i := range links {
		expires := time.Time{}
		if i%2 == 0 {
			expires = time.Now().Add(time.Duration(i+1) * time.Hour)
		}
		putScenario(t, source, i, expires)
	}
	putScenario(t, source, links, time.Now().Add(-time.Hour))
	want := export(t, source, links)
	for _, address := range []string{storetest.StartPostgres(t).URL, fileAddress(t)} {
		target := openArchive(t, address)
		for range 2 {
			if n, err := share.Import(t.Context(), target, strings.NewReader(want)); n != links || err != nil {
				t.Fatalf("imported %d links, want %d: %v", n, links, err)
			}
		}
		if got := export(t, target, links); got != want {
			t.Errorf("the links have changed in %T", target)
		}
	}
}

// TestImportKeepsLaterExpiry imports a link whose expiry was extended since the export.
func TestImportKeepsLaterExpiry(t *testing.T) {
	store := openArchive(t, fileAddress(t))
	putScenario(t, store, 1, time.Now().Add(time.Hour))
	before := export(t, store, 1)
	putScenario(t, store, 1, time.Now().Add(9*time.Hour))
	want := export(t, store, 1)
	if n, err := share.Import(t.Context(), store, strings.NewReader(before)); n != 1 || err != nil {
		t.Fatalf("imported %d links: %v", n, err)
	}
	if got := export(t, store, 1); got != want {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestImportOfDamagedExport(t *testing.T) {
	good := openArchive(t, fileAddress(t))
	putScenario(t, good, 1, time.Time{})
	line := export(t, good, 1)
	for name, test := range map[string]struct {
		export, want string
	}{
		"other value": {line + strings.Replace(line, "é", "e", 1), "link 2: the id"},
		"cut":         {line + line[:len(line)/2], "link 2: unexpected EOF"},
		"no JSON":     {"links", "link 1: invalid character"},
	} {
		store := openArchive(t, fileAddress(t))
		_, err := share.Import(t.Context(), store, strings.NewReader(test.export))
		content := (*share.ExportError)(nil)
		if !errors.As(err, &content) || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want %s", name, err, test.want)
		}
	}
}

func TestOpenArchiveOfMemory(t *testing.T) {
	if _, err := share.OpenArchive(t.Context(), "memory:", share.Options{}); !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

func TestOpenArchiveInUse(t *testing.T) {
	address := fileAddress(t)
	openArchive(t, address)
	if _, err := share.OpenArchive(t.Context(), address, share.Options{}); !errors.Is(err, share.ErrInUse) {
		t.Error(err)
	}
}
