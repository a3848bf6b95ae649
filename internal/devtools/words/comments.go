package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A comment is one line of a comment.
type comment struct {
	path string
	line int
	text string
}

var (
	commentLine = regexp.MustCompile(`^\s*(?://|\*|/\*\*?)\s?(.*)`)
	generated   = regexp.MustCompile(`_templ\.go$|generated|\.pb\.go$|\.gen\.|\.d\.ts$`)
	// staticOpening matches a doc comment that defines a name instead of
	// describing an action.
	staticOpening = regexp.MustCompile(`^[A-Za-z]\w* (is|are|has|says|tells) `)
)

var (
	skippedDirectories = []string{"testdata", "node_modules", ".git", "vendor", "dist", "bin"}
	directives         = []string{"go:", "+", "nolint", "eslint", "@ts"}
)

// readComments returns the comments of the hand-written files below root, with
// paths relative to root.
func readComments(root string) ([]comment, error) {
	var comments []comment
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && slices.Contains(skippedDirectories, entry.Name()):
			return filepath.SkipDir
		case entry.IsDir() || !isHandWritten(entry.Name()):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		comments = append(comments, parseComments(relative, string(content))...)
		return nil
	})
	return comments, err
}

func isHandWritten(name string) bool {
	extension := filepath.Ext(name)
	return (extension == ".go" || extension == ".ts") && !generated.MatchString(name)
}

func parseComments(path, source string) []comment {
	var comments []comment
	number := 0
	for line := range strings.Lines(source) {
		number++
		match := commentLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if match == nil || isDirective(match[1]) {
			continue
		}
		comments = append(comments, comment{path, number, match[1]})
	}
	return comments
}

func isDirective(text string) bool {
	return slices.ContainsFunc(directives, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

func printPlaces(out io.Writer, comments []comment, marker string) {
	pattern := regexp.MustCompile(`\b` + regexp.QuoteMeta(marker) + `\b`)
	for _, c := range comments {
		if pattern.MatchString(c.text) {
			fmt.Fprintf(out, "%s:%d: %s\n", c.path, c.line, strings.TrimSpace(c.text))
		}
	}
}

func countStaticOpenings(comments []comment) int {
	count := 0
	for _, c := range comments {
		if strings.HasSuffix(c.path, ".go") && staticOpening.MatchString(c.text) {
			count++
		}
	}
	return count
}
