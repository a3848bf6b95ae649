package main

import (
	"log/slog"
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

func TestConfiguredStoreMustOpen(t *testing.T) {
	s := settings{store: "bbolt:///nowhere/at/all.db"}
	if _, _, err := openSharing(t.Context(), s, os.Getenv, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("the server starts without its store")
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
