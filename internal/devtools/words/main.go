// Command words counts phrases in comments that engineers rarely use.
//
//	words [-where MARKER] [-max FILE] [DIRECTORY]
//
// A marker is a phrase of up to three words that makes a comment read like a
// translation. The figure is the number of markers per 10,000 words in the
// comments of the hand-written Go and TypeScript files below DIRECTORY.
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed markers.txt
var markerList string

func main() {
	where := flag.String("where", "", "list the comments that contain this marker")
	maxFile := flag.String("max", "", "fail if the figure exceeds the number in this file")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if err := run(os.Stdout, root, *where, *maxFile); err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, root, where, maxFile string) error {
	comments, err := readComments(root)
	if err != nil {
		return err
	}
	if where != "" {
		printPlaces(out, comments, where)
		return nil
	}
	total := printDirectories(out, comments)
	fmt.Fprintf(out, "doc comments that begin with 'Name is|are|has|says|tells': %d\n", countStaticOpenings(comments))
	if maxFile == "" {
		return nil
	}
	return checkMaximum(total, maxFile)
}

// printDirectories prints one line per directory and returns the total.
func printDirectories(out io.Writer, comments []comment) tally {
	markers := newMarkerSet(markerList)
	directories := map[string]tally{}
	var total tally
	for _, c := range comments {
		t := markers.count(c.text)
		directory := filepath.Dir(c.path)
		directories[directory] = directories[directory].plus(t)
		total = total.plus(t)
	}
	const row = "%-40s %7d words %5d markers %5.0f per 10,000\n"
	for _, directory := range slices.Sorted(maps.Keys(directories)) {
		t := directories[directory]
		fmt.Fprintf(out, row, directory, t.words, t.markers, t.rate())
	}
	fmt.Fprintf(out, row, "total", total.words, total.markers, total.rate())
	return total
}

func checkMaximum(total tally, file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	maximum, err := strconv.Atoi(strings.TrimSpace(string(content)))
	if err != nil {
		return fmt.Errorf("read the maximum: %w", err)
	}
	if rate := total.roundedRate(); rate > maximum {
		return fmt.Errorf("%d markers per 10,000 words exceed the maximum of %d in %s", rate, maximum, file)
	}
	return nil
}
