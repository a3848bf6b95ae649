package expect

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// The beginnings of comments that are expectations or requests.
var (
	begunWant      = regexp.MustCompile(`^want(?:@([+-]\d+))?\s+$`)
	begunOperation = regexp.MustCompile(`^crdlab:\s*(\w*)$`)
	begunWord      = regexp.MustCompile(`^\w*:?$`)
)

// Complete lists what may follow in a comment at the end of a line: expectations of the errors in the lines of the
// file, and the operations of requests. line is the line up to the cursor. The items replace it from start, in bytes.
// ok is false outside of comments.
func (r *Result) Complete(file *manifest.File, number int, line string, isCRD bool) (start int, items []playground.CompletionItem, ok bool) {
	comments := commentsOf(file)
	i := slices.IndexFunc(comments, func(c comment) bool { return c.line == number && c.start < len(line) })
	if i < 0 {
		return 0, nil, false
	}
	text := strings.TrimLeft(line[comments[i].start+1:], " ")
	start = len(line) - len(text)
	add := func(insert, detail, description string) {
		items = append(items, playground.CompletionItem{Label: strings.TrimSpace(insert), Kind: playground.ItemValue, Detail: detail, Description: description, Insert: insert, Stops: []int{}})
	}
	addPatterns := func(prefix string, line int) {
		for _, f := range r.Files {
			if patterns := f.patterns(line); f.Path == file.Path && patterns != "" {
				add(prefix+strings.TrimSpace(patterns), "the errors here", "")
			}
		}
	}
	if m := begunWant.FindStringSubmatch(text); m != nil {
		offset, _ := strconv.Atoi(m[1])
		addPatterns("", number+offset)
		return len(line), items, true
	}
	if m := begunOperation.FindStringSubmatch(text); m != nil {
		names := slices.Sorted(maps.Keys(operations))
		if isCRD {
			names = crdOperations
		}
		for _, name := range names {
			add(name, "request", "")
		}
		return len(line) - len(m[1]), items, true
	}
	if begunWord.MatchString(text) {
		addPatterns("want ", number)
		add("want ", "", "Expects errors in this line, as quoted regular expressions.")
		add("stored: ", "", "Expects the value of this field in the stored object.")
		add("crdlab: ", "", "Sends the document with another request than a create.")
	}
	return start, items, true
}
