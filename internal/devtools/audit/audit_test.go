package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	yields := func(found ...vulnerability) scan { return func() ([]vulnerability, error) { return found, nil } }
	fails := func(err error) scan { return func() ([]vulnerability, error) { return nil, err } }
	known := vulnerability{"GO-1", "example.com/a", "Crash"}
	offline := fmt.Errorf("the database is %w", errUnreachable)
	accepted := map[string]string{"GO-1": "only tests call it"}
	const incomplete = "The audit is incomplete, because a vulnerability database is unreachable.\n"
	for _, c := range []struct {
		name     string
		accepted map[string]string
		scans    []scan
		status   int
		output   string
	}{
		{"nothing found", nil, []scan{yields()}, 0, "No vulnerability is known that has no accepted reason.\n"},
		{"found", nil, []scan{yields(known)}, 1, "vulnerable: GO-1 in example.com/a: Crash\n"},
		{"accepted", accepted, []scan{yields(known)}, 0, "accepted: GO-1 in example.com/a: only tests call it\nNo vulnerability is known that has no accepted reason.\n"},
		{"no longer found", accepted, []scan{yields()}, 1, "accepted, but not found: remove GO-1\n"},
		{"unreachable", nil, []scan{fails(offline), yields()}, 3, "not checked: the database is unreachable\n" + incomplete},
		{"accepted and unreachable", accepted, []scan{fails(offline)}, 3, "not checked: the database is unreachable\n" + incomplete},
		{"found and unreachable", nil, []scan{fails(offline), yields(known)}, 1, "not checked: the database is unreachable\nvulnerable: GO-1 in example.com/a: Crash\n"},
		{"failed", nil, []scan{fails(errors.New("does not compile"))}, 1, "failed: does not compile\n"},
	} {
		var output strings.Builder
		if status := run(&output, c.accepted, c.scans); status != c.status || output.String() != c.output {
			t.Errorf("%s: status %d, want %d; output:\n%s", c.name, status, c.status, output.String())
		}
	}
}

// TestParseGovulncheck parses the output on a database with one vulnerability, which has
// findings for the module, the package and the called function.
func TestParseGovulncheck(t *testing.T) {
	output, err := os.ReadFile("testdata/govulncheck.json")
	if err != nil {
		t.Fatal(err)
	}
	found, err := parseGovulncheck(strings.NewReader(string(output)))
	if want := []vulnerability{{"GO-2026-0001", "golang.org/x/time", "A test"}}; err != nil || !slices.Equal(found, want) {
		t.Errorf("got %+v, %v; want %+v", found, err, want)
	}
	if _, err := parseGovulncheck(strings.NewReader("")); err == nil {
		t.Error("an empty output is a report")
	}
}

func TestParseAudit(t *testing.T) {
	output, err := os.ReadFile("testdata/npm.json")
	if err != nil {
		t.Fatal(err)
	}
	found, err := parseAudit(output)
	if want := []vulnerability{{"GHSA-aaaa-bbbb-cccc", "inner", "Crash"}}; err != nil || !slices.Equal(found, want) {
		t.Errorf("got %+v, %v; want %+v", found, err, want)
	}
	for output, isUnreachable := range map[string]bool{
		`{"message": "405 Method Not Allowed", "error": {"summary": "", "detail": ""}}`:  true,
		`{"error": {"code": "ENOLOCK", "summary": "This command requires a lockfile."}}`: false,
		`{}`: false,
		``:   false,
	} {
		if _, err := parseAudit([]byte(output)); err == nil || errors.Is(err, errUnreachable) != isUnreachable {
			t.Errorf("%s: %v", output, err)
		}
	}
}

func TestAcceptedNeedsReason(t *testing.T) {
	file := t.TempDir() + "/audit.json"
	if err := os.WriteFile(file, []byte(`{"GO-1": " "}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readAccepted(file); err == nil {
		t.Error("an empty reason is accepted")
	}
}
