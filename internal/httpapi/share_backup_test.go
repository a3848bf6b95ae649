//go:build !js

package httpapi

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

// TestBackUp downloads a copy of the file, and opens it as a store. The file is larger
// than the unread responses of a client may be, but the server does not keep it in memory.
func TestBackUp(t *testing.T) {
	store, err := share.OpenFile(filepath.Join(t.TempDir(), "links.db"), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: store, OperatorToken: operatorToken}})
	id := shareOn(t, server.URL, sharedScenario)
	large := make([]byte, maxClientResponseMemory)
	if err := store.Put(t.Context(), "large", large, time.Time{}); err != nil {
		t.Fatal(err)
	}
	backUp := func(authorization string) (*http.Response, string) {
		return fetch(t, http.MethodGet, server.URL+backupPath, map[string]string{"Authorization": authorization}, "")
	}
	response, body := backUp("Bearer wrong")
	wantProblem(t, response, body, kindUnauthorized, "Send the operator token in the header Authorization: Bearer …")
	response, body = backUp("Bearer " + operatorToken)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", response.StatusCode, body)
	}
	path := filepath.Join(t.TempDir(), "restored.db")
	if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
		t.Fatal(err)
	}
	restored, err := share.OpenFile(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = restored.Close() })
	if _, _, err := restored.Get(t.Context(), id); err != nil {
		t.Errorf("the copy lacks the link: %v", err)
	}
	if value, _, err := restored.Get(t.Context(), "large"); err != nil || len(value) != len(large) {
		t.Errorf("the copy has %d bytes of the large value: %v", len(value), err)
	}
}
