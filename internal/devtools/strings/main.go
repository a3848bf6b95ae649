// Command strings lists the strings that users can see, for review.
//
//	strings [-typescript FILE] [DIRECTORY]
//
// The page lists the strings of the repository in DIRECTORY by kind, one per line, with
// their places. They come from the syntax trees of Go and templ, and from the examples.
// FILE has the strings of the TypeScript sources, which web/tools/strings.mjs writes.
//
// A syntax tree does not state the readers of a string. The list contains the text of templates,
// and the Go literals of several words or in fields such as title and hint. Upstream's own
// messages are missing.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// A visible is a string that users can see.
type visible struct {
	Path string `json:"path"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func main() {
	typescript := flag.String("typescript", "", "read the strings of the TypeScript sources from this file")
	flag.Parse()
	root := "."
	if flag.NArg() > 0 {
		root = flag.Arg(0)
	}
	if err := run(os.Stdout, root, *typescript); err != nil {
		fmt.Fprintln(os.Stderr, "strings:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, root, typescript string) error {
	all, err := readSources(root)
	if err != nil {
		return err
	}
	if typescript != "" {
		content, err := os.ReadFile(typescript)
		if err != nil {
			return err
		}
		var scripts []visible
		if err := json.Unmarshal(content, &scripts); err != nil {
			return fmt.Errorf("%s: %v", typescript, err)
		}
		all = append(all, scripts...)
	}
	return printPage(out, all)
}

// kinds are the sections of the page. A string belongs to the first with its path.
var kinds = []struct {
	title    string
	prefixes []string
}{
	{"Gallery", []string{examples + "/"}},
	{"Hints and quick fixes", []string{"internal/engine/quickfix/"}},
	{"Page", []string{"internal/ui/", "web/src/"}},
	{"Completion, hover and samples", []string{"internal/assist/"}},
	{"Reports", []string{"internal/engine/", "internal/playground/", "internal/source/", "internal/verdict/", "internal/minors/"}},
	{"HTTP API", []string{"internal/httpapi/", "internal/share/"}},
	{"Command line and server", []string{""}},
}

// printPage prints the strings as Markdown.
func printPage(out io.Writer, all []visible) error {
	slices.SortFunc(all, func(a, b visible) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	sections := make([][]visible, len(kinds))
	for _, v := range all {
		i := kindOf(v.Path)
		sections[i] = append(sections[i], v)
	}
	page := &strings.Builder{}
	fmt.Fprintf(page, "# The %d strings that users can see\n", len(all))
	for i, section := range sections {
		fmt.Fprintf(page, "\n## %s (%d)\n", kinds[i].title, len(section))
		path := ""
		for _, v := range section {
			if v.Path != path {
				path = v.Path
				fmt.Fprintf(page, "\n%s\n", path)
			}
			fmt.Fprintf(page, "%6d  %s\n", v.Line, strings.ReplaceAll(v.Text, "\n", "⏎"))
		}
	}
	_, err := io.WriteString(out, page.String())
	return err
}

func kindOf(path string) int {
	for i, kind := range kinds {
		if slices.ContainsFunc(kind.prefixes, func(prefix string) bool { return strings.HasPrefix(path, prefix) }) {
			return i
		}
	}
	return len(kinds) - 1
}
