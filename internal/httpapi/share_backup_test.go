//go:build !js

package httpapi

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/share"
)

// TestBackUp downloads an export, and imports it into another store. The export is larger
// than the unread responses of a client may be, but the server does not keep it in memory.
func TestBackUp(t *testing.T) {
	store, err := share.Open(t.Context(), "file://"+filepath.Join(t.TempDir(), "links"), share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	server, _ := serve(t, Config{Assets: builtPage, Sharing: Sharing{Store: store, OperatorToken: operatorToken}})
	id := shareOn(t, server.URL, sharedScenario)
	large, value, err := share.Encode(playground.Scenario{CRD: strings.Repeat("a", maxClientResponseMemory)})
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Put(t.Context(), large, value, time.Time{}); err != nil {
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
	restored, err := share.CreateArchive(t.Context(), "file://"+filepath.Join(t.TempDir(), "restored"), share.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = restored.Close() })
	if n, err := share.Import(t.Context(), restored, strings.NewReader(body)); n != 2 || err != nil {
		t.Errorf("imported %d links: %v", n, err)
	}
	if _, _, err := restored.Get(t.Context(), id); err != nil {
		t.Errorf("the copy lacks the link: %v", err)
	}
	if got, _, err := restored.Get(t.Context(), large); err != nil || len(got) != len(value) {
		t.Errorf("the copy has %d bytes of the large value: %v", len(got), err)
	}
}
