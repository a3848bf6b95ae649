package server

import (
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
	if _, err := os.Stat(filepath.Join(directory, "crdlab", "crdlab.db")); err != nil || !opened {
		t.Errorf("opened: %v, %v", opened, err)
	}
	if log.Len() > 0 {
		t.Errorf("the log: %s", &log)
	}
	opened, closeSecond := open(settings{})
	if opened || !strings.Contains(log.String(), "short links are disabled") {
		t.Errorf("the file was opened twice; the log: %s", &log)
	}
	closeSecond()
	closeFirst()
	if opened, closeThird := open(settings{}); !opened {
		t.Error("the file was not closed")
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

// TestDamagedStore starts the server with damaged files. It must serve, also when an intact
// file is damaged while it is open.
func TestDamagedStore(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "links.db")
	url, kill := startProcess(t, "bbolt://"+path)
	links := map[string]string{}
	for i := range 30 {
		crd := strings.Repeat(fmt.Sprintf("a%d: 1\n", i), 5_000)
		id, err := shareOnce(url, crd)
		if err != nil {
			t.Fatal(err)
		}
		links[id] = crd
	}
	read := func(url, when string) (failed int) {
		for id, crd := range links {
			response, err := http.Get(url + "/s/" + id + ".yaml")
			if err != nil {
				t.Fatalf("%s: the server ended: %v", when, err)
			}
			body, err := io.ReadAll(response.Body)
			_ = response.Body.Close()
			switch {
			case response.StatusCode == http.StatusOK && err == nil && string(body) == crd:
			case response.StatusCode == http.StatusServiceUnavailable:
				failed++
			case response.StatusCode != http.StatusNotFound:
				t.Errorf("%s: %s has status %d and %d bytes, %v", when, id, response.StatusCode, len(body), err)
			}
		}
		return failed
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	half := info.Size() / 2
	if err := os.Truncate(path, half); err != nil {
		t.Fatal(err)
	}
	if failed := read(url, "truncated while open"); failed > 1 {
		t.Errorf("%d requests failed after the damage, want 1", failed)
	}
	kill()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{len(content) / 2, 3 * 4096, 4096, 100} {
		if err := os.WriteFile(path, content[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		url, kill := startProcess(t, "bbolt://"+path)
		if failed := read(url, fmt.Sprintf("started with %d bytes", size)); failed > 0 {
			t.Errorf("%d requests failed with %d bytes", failed, size)
		}
		kill()
	}
	if kept, err := filepath.Glob(path + ".damaged-*"); err != nil || len(kept) < 5 {
		t.Errorf("kept %v, %v", kept, err)
	}
}

// TestUnusableStore starts the server with stores that cannot be opened. Only links are
// unavailable.
func TestUnusableStore(t *testing.T) {
	directory := t.TempDir()
	for _, store := range []string{
		"bbolt:///nowhere/at/all.db", "bbolt://" + directory, "postgres://crdlab@127.0.0.1:1/nothing?sslmode=disable",
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
	s, err := parse([]string{"-share-limit", "2097152"}, func(name string) string { return environment[name] }, os.Stderr)
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
	for _, arguments := range [][]string{{"-share-limit", "0"}, {"-share-lifetime", "-1h"}, {"-share-limit", "1MiB"}} {
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

// TestBackup restores a copy of the file that was made while links were shared.
func TestBackup(t *testing.T) {
	directory := t.TempDir()
	t.Setenv("CRDLAB_OPERATOR_TOKEN", "secret")
	url, kill := startProcess(t, "bbolt://"+filepath.Join(directory, "links.db"))
	links := map[string]string{}
	share := func(i int) {
		crd := fmt.Sprintf("a%d: 1\n", i)
		id, err := shareOnce(url, crd)
		if err != nil {
			t.Fatal(err)
		}
		links[id] = crd
	}
	for i := range 20 {
		share(i)
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
	share(20)
	content, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || response.ContentLength != int64(len(content)) {
		t.Fatalf("status %d, %d of %d bytes, %v", response.StatusCode, len(content), response.ContentLength, err)
	}
	kill()
	restored := filepath.Join(directory, "restored.db")
	if err := os.WriteFile(restored, content, 0o600); err != nil {
		t.Fatal(err)
	}
	url, _ = startProcess(t, "bbolt://"+restored)
	for id, crd := range stored {
		if got := sharedCRD(t, url, id); got != crd {
			t.Errorf("%s leads to %q, want %q", id, got, crd)
		}
	}
	if kept, _ := filepath.Glob(restored + ".*"); len(kept) > 0 {
		t.Errorf("the copy is damaged: %v", kept)
	}
}
