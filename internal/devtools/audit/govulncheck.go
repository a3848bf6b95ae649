package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// scanGo returns the vulnerabilities in functions that the module of the working
// directory calls. db is an http, https or file URL.
func scanGo(govulncheck, db string) ([]vulnerability, error) {
	if err := reachDatabase(db); err != nil {
		return nil, err
	}
	command := exec.Command(govulncheck, "-db", db, "-format", "json", "./...")
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("govulncheck: %w", err)
	}
	return parseGovulncheck(bytes.NewReader(output))
}

// reachDatabase requests a small file, because govulncheck does not distinguish an
// unreachable database from other failures.
func reachDatabase(db string) error {
	if strings.HasPrefix(db, "file:") {
		return nil
	}
	client := http.Client{Timeout: 20 * time.Second}
	response, err := client.Get(strings.TrimSuffix(db, "/") + "/index/db.json")
	if err != nil {
		return fmt.Errorf("the Go vulnerability database is %w: %w", errUnreachable, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the Go vulnerability database %s is %w: its response has the status %s", db, errUnreachable, response.Status)
	}
	return nil
}

// parseGovulncheck parses the stream of messages that govulncheck writes with
// -format json. Like its exit status for people, the result omits vulnerabilities in
// functions without a call.
func parseGovulncheck(stream io.Reader) ([]vulnerability, error) {
	var found []vulnerability
	summaries := map[string]string{}
	hasConfig := false
	for messages := json.NewDecoder(stream); ; {
		var message struct {
			Config *struct{}
			OSV    *struct{ ID, Summary string }
			// The first frame of the trace is in the vulnerable library.
			Finding *struct {
				OSV   string
				Trace []struct{ Module, Function string }
			}
		}
		err := messages.Decode(&message)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the output of govulncheck: %w", err)
		}
		hasConfig = hasConfig || message.Config != nil
		if message.OSV != nil {
			summaries[message.OSV.ID] = message.OSV.Summary
		}
		if f := message.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			found = append(found, vulnerability{f.OSV, f.Trace[0].Module, summaries[f.OSV]})
		}
	}
	if !hasConfig {
		return nil, fmt.Errorf("govulncheck wrote no report")
	}
	return sorted(found), nil
}

// sorted returns the vulnerabilities in order, each once.
func sorted(found []vulnerability) []vulnerability {
	slices.SortFunc(found, func(a, b vulnerability) int {
		return strings.Compare(a.id+" "+a.library, b.id+" "+b.library)
	})
	return slices.Compact(found)
}
