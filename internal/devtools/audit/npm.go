package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path"
)

// scanPackages returns the vulnerabilities of the packages in the package-lock.json of a
// directory.
func scanPackages(npm, directory string) ([]vulnerability, error) {
	command := exec.Command(npm, "audit", "--json", "--package-lock-only")
	command.Dir = directory
	output, err := command.Output()
	// npm also fails if it finds vulnerabilities; the output has the details.
	if _, hasExited := errors.AsType[*exec.ExitError](err); err != nil && !hasExited {
		return nil, fmt.Errorf("npm audit: %w", err)
	}
	found, err := parseAudit(output)
	if err != nil {
		return nil, fmt.Errorf("npm audit of %s: %w", path.Join(directory, "package-lock.json"), err)
	}
	return found, nil
}

// parseAudit parses the output of npm audit --json. A vulnerability's id is the last
// element of the advisory's address, such as GHSA-….
func parseAudit(output []byte) ([]vulnerability, error) {
	var report struct {
		AuditReportVersion int
		Vulnerabilities    map[string]struct {
			// An element is an advisory, or the name of a vulnerable dependency.
			Via []json.RawMessage
		}
		// Message describes a failed request to the registry.
		Message string
		// Error describes any other failure.
		Error struct{ Code, Summary string }
	}
	if err := json.Unmarshal(output, &report); err != nil {
		return nil, fmt.Errorf("the output: %w", err)
	}
	switch {
	case report.Message != "":
		return nil, fmt.Errorf("the npm advisories are %w: %s", errUnreachable, report.Message)
	case report.AuditReportVersion != 2:
		return nil, fmt.Errorf("no report of version 2: %s %s", report.Error.Code, report.Error.Summary)
	}
	var found []vulnerability
	for _, affected := range report.Vulnerabilities {
		for _, via := range affected.Via {
			var advisory struct{ Name, Title, URL string }
			if via[0] == '"' {
				continue
			}
			if err := json.Unmarshal(via, &advisory); err != nil {
				return nil, err
			}
			found = append(found, vulnerability{path.Base(advisory.URL), advisory.Name, advisory.Title})
		}
	}
	return sorted(found), nil
}
