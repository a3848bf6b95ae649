// Command audit lists the known vulnerabilities of the module's libraries and of npm
// packages.
//
//	audit [-govulncheck PROGRAM] [-npm PROGRAM] [-db URL] [-accepted FILE] DIRECTORY...
//
// It checks the Go module of the working directory with govulncheck, and the
// package-lock.json of each directory with npm audit. The JSON object in the file of
// accepted vulnerabilities maps the id of a vulnerability to the reason to accept it.
//
// The exit status is 0 without other vulnerabilities, 1 with others or after a failure,
// and 3 if nothing was found but a database was unreachable.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// errUnreachable means that a database of vulnerabilities did not respond.
var errUnreachable = errors.New("unreachable")

// A scan returns the vulnerabilities of one module or of one directory of npm packages.
// An error that wraps errUnreachable means that they are unknown.
type scan func() ([]vulnerability, error)

// A vulnerability affects one library.
type vulnerability struct {
	id, library, summary string
}

const (
	statusFound       = 1
	statusUnreachable = 3
)

func main() {
	govulncheck := flag.String("govulncheck", "govulncheck", "the program govulncheck")
	npm := flag.String("npm", "npm", "the program npm")
	db := flag.String("db", "https://vuln.go.dev", "the address of the Go vulnerability database")
	acceptedFile := flag.String("accepted", "", "a file with accepted vulnerabilities")
	flag.Parse()
	accepted, err := readAccepted(*acceptedFile)
	if err != nil {
		fmt.Fprintln(os.Stderr, "audit:", err)
		os.Exit(statusFound)
	}
	scans := []scan{func() ([]vulnerability, error) { return scanGo(*govulncheck, *db) }}
	for _, directory := range flag.Args() {
		scans = append(scans, func() ([]vulnerability, error) { return scanPackages(*npm, directory) })
	}
	os.Exit(run(os.Stdout, accepted, scans))
}

// readAccepted reads a file of accepted vulnerabilities. Each needs a reason.
func readAccepted(file string) (map[string]string, error) {
	accepted := map[string]string{}
	if file == "" {
		return accepted, nil
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content, &accepted); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for id, reason := range accepted {
		if strings.TrimSpace(reason) == "" {
			return nil, fmt.Errorf("%s: %s has no reason", file, id)
		}
	}
	return accepted, nil
}

// run prints the results of all scans and returns the exit status. If every scan is
// complete, an accepted vulnerability that no scan found is a failure.
func run(out io.Writer, accepted map[string]string, scans []scan) int {
	failed, unreachable := false, false
	unused := maps.Clone(accepted)
	for _, scan := range scans {
		found, err := scan()
		switch {
		case errors.Is(err, errUnreachable):
			unreachable = true
			fmt.Fprintln(out, "not checked:", err)
		case err != nil:
			failed = true
			fmt.Fprintln(out, "failed:", err)
		}
		for _, v := range found {
			reason, isAccepted := accepted[v.id]
			delete(unused, v.id)
			if isAccepted {
				fmt.Fprintf(out, "accepted: %s in %s: %s\n", v.id, v.library, reason)
				continue
			}
			failed = true
			fmt.Fprintf(out, "vulnerable: %s in %s: %s\n", v.id, v.library, v.summary)
		}
	}
	if !failed && !unreachable {
		for _, id := range slices.Sorted(maps.Keys(unused)) {
			failed = true
			fmt.Fprintf(out, "accepted, but not found: remove %s\n", id)
		}
	}
	switch {
	case failed:
		return statusFound
	case unreachable:
		fmt.Fprintln(out, "The audit is incomplete, because a vulnerability database is unreachable.")
		return statusUnreachable
	}
	fmt.Fprintln(out, "No vulnerability is known that has no accepted reason.")
	return 0
}
