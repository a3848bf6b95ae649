package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/crdlab/crdlab/internal/share"
)

func TestDefaultStore(t *testing.T) {
	directory := t.TempDir()
	env := func(name string) string {
		return map[string]string{"XDG_DATA_HOME": directory}[name]
	}
	var log strings.Builder
	open := func(s settings) (bool, func()) {
		t.Helper()
		sharing, closeStore, err := openSharing(t.Context(), s, env, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if sharing.Store != nil {
			// The store is opened in the background.
			if err := sharing.Store.Delete(t.Context(), "id"); err != nil {
				t.Error(err)
			}
		}
		return sharing.Store != nil, closeStore
	}
	opened, closeFirst := open(settings{})
	if _, err := os.Stat(filepath.Join(directory, "crdlab", "crdlab", "lock")); err != nil || !opened {
		t.Errorf("opened: %v, %v", opened, err)
	}
	if log.Len() > 0 {
		t.Errorf("the log: %s", &log)
	}
	opened, closeSecond := open(settings{})
	if opened || !strings.Contains(log.String(), "short links are disabled") {
		t.Errorf("the folder was opened twice; the log: %s", &log)
	}
	closeSecond()
	closeFirst()
	if opened, closeThird := open(settings{}); !opened {
		t.Error("the folder was not closed")
	} else {
		closeThird()
	}
}

func TestStoreAddressMustBeValid(t *testing.T) {
	s := settings{store: "redis://host"}
	if _, _, err := openSharing(t.Context(), s, os.Getenv, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("the server starts with an invalid store address")
	}
}

// TestDamagedStore damages the file of a link while the server runs. Only this link fails,
// and it can be shared again or deleted.
func TestDamagedStore(t *testing.T) {
	t.Setenv("CRDLAB_OPERATOR_TOKEN", "secret")
	folder := filepath.Join(t.TempDir(), "links")
	url, _ := startProcess(t, "file://"+folder)
	id, err := shareOnce(url, "a: 1\n")
	if err != nil {
		t.Fatal(err)
	}
	sound, err := shareOnce(url, "b: 1\n")
	if err != nil {
		t.Fatal(err)
	}
	damage := func() {
		t.Helper()
		if err := os.Truncate(filepath.Join(folder, id[:2], id), 40); err != nil {
			t.Fatal(err)
		}
		response, err := http.Get(url + "/s/" + id + ".yaml")
		if err != nil || response.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("the damaged link: %v, %v", response, err)
		}
		if got := sharedCRD(t, url, sound); got != "b: 1\n" {
			t.Errorf("the other link leads to %q", got)
		}
	}
	damage()
	if again, err := shareOnce(url, "a: 1\n"); err != nil || again != id || sharedCRD(t, url, id) != "a: 1\n" {
		t.Errorf("shared again: %s, %v", again, err)
	}
	damage()
	request, err := http.NewRequest(http.MethodDelete, url+"/api/v1/share/"+id, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusNoContent {
		t.Errorf("delete: %v, %v", response, err)
	}
}

// TestUnusableStore starts the server with stores that cannot be opened. Only links are
// unavailable.
func TestUnusableStore(t *testing.T) {
	for _, store := range []string{
		"file:///nowhere/at/all", "file:///proc/links", "postgres://crdlab@127.0.0.1:1/nothing?sslmode=disable",
	} {
		url, kill := startProcess(t, store)
		if _, err := shareOnce(url, "a: 1"); err == nil || !strings.Contains(err.Error(), "503") {
			t.Errorf("%s: %v", store, err)
		}
		response, err := http.Get(url + "/api/v1/version")
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%s: %v", store, err)
		}
		kill()
	}
}

func TestSharingSettings(t *testing.T) {
	environment := map[string]string{
		"CRDLAB_STORE": "memory:", "CRDLAB_SHARE_LIMIT": "1048576", "CRDLAB_SHARE_LIFETIME": "720h",
		"CRDLAB_PUBLIC_URL": "https://crdlab.example.com/", "CRDLAB_OPERATOR_TOKEN": "secret",
	}
	s, err := parse([]string{"--share-limit", "2097152"}, func(name string) string { return environment[name] }, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	sharing, closeStore, err := openSharing(t.Context(), s, os.Getenv, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer closeStore()
	if sharing.Store == nil || sharing.Limit != 2<<20 || sharing.Lifetime != 720*time.Hour ||
		sharing.PublicURL != "https://crdlab.example.com" || sharing.OperatorToken != "secret" {
		t.Errorf("got %+v", sharing)
	}
}

func TestInvalidSharingSettings(t *testing.T) {
	for _, arguments := range [][]string{{"--share-limit", "0"}, {"--share-lifetime", "-1h"}, {"--share-limit", "1MiB"}} {
		if _, err := parse(arguments, func(string) string { return "" }, new(strings.Builder)); err == nil {
			t.Errorf("%v is accepted", arguments)
		}
	}
	for _, name := range []string{"CRDLAB_SHARE_LIMIT", "CRDLAB_SHARE_LIFETIME"} {
		env := func(variable string) string {
			return map[string]string{name: "much"}[variable]
		}
		if _, err := parse(nil, env, new(strings.Builder)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=much: %v", name, err)
		}
	}
}

// TestBackup restores an export that was made while links were shared.
func TestBackup(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("CRDLAB_OPERATOR_TOKEN", "secret")
	url, kill := startProcess(t, "file://"+filepath.Join(directory, "links"))
	links := map[string]string{}
	add := func(i int) {
		crd := fmt.Sprintf("a%d: 1\n", i)
		id, err := shareOnce(url, crd)
		if err != nil {
			t.Fatal(err)
		}
		links[id] = crd
	}
	for i := range 20 {
		add(i)
	}
	request, err := http.NewRequest(http.MethodGet, url+"/api/v1/backup", nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(request); err != nil || response.StatusCode != http.StatusUnauthorized {
		t.Errorf("without the token: %v, %v", response, err)
	}
	request.Header.Set("Authorization", "Bearer secret")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stored := maps.Clone(links)
	add(20)
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %d bytes, %v", response.StatusCode, len(content), err)
	}
	kill()
	restored := "file://" + filepath.Join(directory, "restored")
	archive, err := OpenLinks(t.Context(), restored, share.CreateArchive)
	if err != nil {
		t.Fatal(err)
	}
	_, err = share.Import(t.Context(), archive, bytes.NewReader(content))
	if err := errors.Join(err, archive.Close()); err != nil {
		t.Fatal(err)
	}
	url, _ = startProcess(t, restored)
	for id, crd := range stored {
		if got := sharedCRD(t, url, id); got != crd {
			t.Errorf("%s leads to %q, want %q", id, got, crd)
		}
	}
}
