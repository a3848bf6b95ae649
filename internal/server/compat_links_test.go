package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
	"github.com/crdlab/crdlab/internal/share/storetest"
)

// recordedLink is an item of testdata/compat/links.json.
type recordedLink struct {
	About string `json:"about"`
	ID    string `json:"id"`
	// Shared is the scenario in the request that created the link.
	Shared json.RawMessage `json:"shared"`
	// Read is the response to a request for the scenario of the link.
	Read json.RawMessage `json:"read"`
	// Expires is a date; empty for links that never expire.
	Expires string `json:"expires"`
	Expired bool   `json:"expired"`
}

// TestCompatFile opens a bbolt file with links.
func TestCompatFile(t *testing.T) {
	recorded, err := os.ReadFile("../../cmd/server/testdata/compat/links.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "links.db")
	if err := os.WriteFile(path, recorded, 0o600); err != nil {
		t.Fatal(err)
	}
	readLinks(t, "bbolt://"+filepath.ToSlash(path))
}

// TestCompatPostgres restores a PostgreSQL dump with links.
func TestCompatPostgres(t *testing.T) {
	dump, err := os.ReadFile("../../cmd/server/testdata/compat/links.sql")
	if err != nil {
		t.Fatal(err)
	}
	server := storetest.StartPostgres(t)
	connection, err := pgx.Connect(t.Context(), server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.PgConn().Exec(t.Context(), string(dump)).ReadAll(); err != nil {
		t.Fatal(err)
	}
	if err := connection.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	readLinks(t, server.URL)
}

// readLinks reads each recorded link from the store at an address through all
// addresses of the API, and creates it again.
func readLinks(t *testing.T, address string) {
	t.Helper()
	links := readRecordedLinks(t)
	checkExpiry(t, address, links)
	url := compatServer(t, address)
	for _, link := range links {
		t.Run(link.About, func(t *testing.T) {
			status := "200"
			if link.Expired {
				status = "404"
			}
			for _, path := range []string{"/api/v1/share/" + link.ID, "/s/" + link.ID + ".json", "/s/" + link.ID + ".yaml"} {
				head, body := exchange(t, url, []byte("GET "+path), nil)
				if !strings.HasPrefix(head, status) {
					t.Errorf("%s: got %s, want %s", path, head, status)
				}
				if link.Expired || strings.HasSuffix(path, ".yaml") {
					continue
				}
				for _, difference := range compareBodies(link.Read, body) {
					t.Errorf("%s: %s", path, difference)
				}
			}
			_, body := exchange(t, url, []byte("POST /api/v1/share\nContent-Type: application/json"), link.Shared)
			var created struct{ ID string }
			if err := json.Unmarshal(body, &created); err != nil || created.ID != link.ID {
				t.Errorf("shared again: got %s, %v, want the id %s", body, err, link.ID)
			}
		})
	}
}

// checkExpiry compares the dates at which links expire.
func checkExpiry(t *testing.T, address string, links []recordedLink) {
	t.Helper()
	store, err := share.Open(t.Context(), address, share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, link := range links {
		value, expires, err := store.Get(t.Context(), link.ID)
		if link.Expired {
			if err == nil {
				t.Errorf("%s has not expired", link.About)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", link.About, err)
			continue
		}
		var want playground.Scenario
		if err := json.Unmarshal(link.Read, &want); err != nil {
			t.Fatal(err)
		}
		if got, err := share.Decode(value); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", link.About, got, err, want)
		}
		never := link.Expires == ""
		if expires.IsZero() != never || !never && expires.UTC().Format(time.DateOnly) != link.Expires {
			t.Errorf("%s expires at %v, want %q", link.About, expires, link.Expires)
		}
	}
}

func readRecordedLinks(t *testing.T) []recordedLink {
	t.Helper()
	data, err := os.ReadFile("../../cmd/server/testdata/compat/links.json")
	if err != nil {
		t.Fatal(err)
	}
	var links []recordedLink
	if err := json.Unmarshal(data, &links); err != nil {
		t.Fatal(err)
	}
	return links
}

// TestCompatExamples looks for the examples that recorded links may name.
func TestCompatExamples(t *testing.T) {
	recorded, err := os.ReadFile("../../cmd/server/testdata/compat/examples.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, body := exchange(t, compatServer(t, "none"), []byte("GET /examples.json"), nil)
	var gallery []struct{ ID string }
	if err := json.Unmarshal(body, &gallery); err != nil {
		t.Fatal(err)
	}
	offered := map[string]bool{}
	for _, example := range gallery {
		offered[example.ID] = true
	}
	for id := range strings.FieldsSeq(string(recorded)) {
		if !offered[id] {
			t.Errorf("the example %s is missing", id)
		}
	}
}
