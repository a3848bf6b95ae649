//go:build linux

package attack

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// result is a row of the table: a promise, and whether the server kept it.
type result struct {
	promise, aim, measured, met string
}

type table []result

// results collects the rows of all attacks.
var results table

// report adds a row to the table. It fails the test if the promise was broken.
func report(t *testing.T, promise, aim string, met bool, format string, values ...any) {
	t.Helper()
	r := result{promise, aim, fmt.Sprintf(format, values...), "yes"}
	if !met {
		r.met = "NO"
		t.Errorf("%s: measured %s, the aim is %s", promise, r.measured, aim)
	}
	results = append(results, r)
}

// skip adds a row for a promise that this machine cannot check.
func skip(t *testing.T, promise, aim, reason string) {
	t.Helper()
	results = append(results, result{promise, aim, reason, "skipped"})
	t.Skip(reason)
}

// print prints the table in Markdown, and writes it to a file unless the name is
// empty.
func (all table) print(file string, took time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d CPUs; %s; %s\n\n", runtime.NumCPU(), container.String(), took.Round(time.Second))
	fmt.Fprintln(&b, "| promise | aim | measured | met |\n|---|---|---|---|")
	for _, r := range all {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.promise, r.aim, oneLine(r.measured), r.met)
	}
	_, err := os.Stdout.WriteString(b.String())
	if file != "" {
		err = errors.Join(err, os.WriteFile(file, []byte(b.String()), 0o600))
	}
	return err
}

// oneLine returns a cell of a Markdown table.
func oneLine(measured string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(measured), " "), "|", `\|`)
}
