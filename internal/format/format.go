// Package format writes the results of the commands check, test, diff and upgrade-check in
// the formats of terminals, editors and continuous integration.
package format

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/crdlab/crdlab/internal/check"
	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// Names lists the names of the formats; the first is the default.
var Names = []string{"text", "json", "sarif", "junit", "github", "markdown"}

// A Report is the result of a command in the terms of the formats.
type Report struct {
	// value is the result in the format json.
	value          any
	text, markdown func(io.Writer)
	annotations    []annotation
	suites         []junitSuite
	problems       []check.Problem
	// notices are messages about the whole result.
	notices []string
}

// An annotation is a message about a place in a file.
type annotation struct {
	// The column is 0 if the place is a line, and the end is 0 if it is not known.
	manifest.Printed
	severity playground.Severity
	// rule is the kind of the message in the format sarif.
	rule string
	// title is the heading in the format github; it may be empty.
	title   string
	message string
	related []manifest.Related
}

// Write writes a report in the format of this name. version is the version of crdlab.
func (r Report) Write(w io.Writer, name, version string) error {
	out := bufio.NewWriter(w)
	var err error
	switch name {
	case "json":
		err = WriteJSON(out, r.value)
	case "sarif":
		err = r.writeSARIF(out, version)
	case "junit":
		err = r.writeJUnit(out)
	case "github":
		r.writeGitHub(out)
	case "markdown":
		r.markdown(out)
	default:
		r.text(out)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

// WriteJSON writes indented JSON without escapes for HTML.
func WriteJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// writeFenced writes text for terminals as a block of Markdown.
func writeFenced(out io.Writer, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(out, "\n%stext\n%s\n%s\n", fence, strings.TrimRight(text, "\n"), fence)
}

// counted returns a number with a noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// thousands returns a number with separators.
func thousands(n uint64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
