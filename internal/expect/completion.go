package expect

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
)

// comments describes the comments that are expectations or requests, by their first word.
var comments = []struct{ word, insert, description string }{
	{"want", "want ", "Expects errors or warnings in this line, as quoted regular expressions. want@-1 and want@+1 expect them in the line before or after."},
	{"stored", "stored: ", "Expects the value of this field in the stored object."},
	{"crdlab", "crdlab: ", "Sends the document with another request than a create: update, status, apply, delete or scale, with the flags of kubectl. With stored, the document is the object in the cluster."},
}

// firstWord matches the first word of a comment that is an expectation or a request.
var firstWord = regexp.MustCompile(`^#\s*(want|stored|crdlab)(?:@[+-]\d+)?(?::|\s|$)`)

// HoverComment describes the comment at a position, or returns nil if it is no expectation or request.
func HoverComment(text string, at playground.Position) *playground.Hover {
	file := manifest.NewFile("", text)
	for _, c := range commentsOf(file) {
		line := file.Line(c.line)
		m := firstWord.FindStringSubmatch(line[c.start:])
		start, _ := file.LineStart(c.line)
		place := file.Between(start+c.start, start+len(line))
		if c.line != at.Line || m == nil || at.Character < place.Start.Character {
			continue
		}
		i := slices.IndexFunc(comments, func(known struct{ word, insert, description string }) bool { return known.word == m[1] })
		return &playground.Hover{Range: place, Title: "# " + comments[i].word, Type: "test", Description: comments[i].description, Facts: []playground.Fact{}}
	}
	return nil
}

// CompleteComment lists what may follow in a comment of the CRD or the object of a scenario, whose release and field
// validation must be set. It returns nil outside of comments.
func CompleteComment(ctx context.Context, evaluate playground.Evaluate, s playground.Scenario, document playground.Document, at playground.Position) (*playground.Completion, error) {
	text := s.Text(document)
	if text == nil || document != playground.DocumentCRD && document != playground.DocumentObject {
		return nil, nil
	}
	file := manifest.NewFile(string(document), *text)
	from, ok := file.LineStart(at.Line)
	if !ok {
		return nil, nil
	}
	to := from + len(file.Line(at.Line))
	for to > from && file.Between(from, to).End.Character > at.Character {
		to--
	}
	before := file.Text[from:to]
	if !strings.Contains(before, "#") {
		return nil, nil
	}
	start, items, ok, err := Complete(file, at.Line, before, document == playground.DocumentCRD, func() (*Result, error) {
		return Run(ctx, inputOf(s), options(evaluate, s))
	})
	if err != nil || !ok {
		return nil, err
	}
	return &playground.Completion{Range: file.Between(from+start, to), Items: items}, nil
}

// The beginnings of comments that are expectations or requests.
var (
	begunWant      = regexp.MustCompile(`^want(?:@([+-]\d+))?\s+$`)
	begunOperation = regexp.MustCompile(`^crdlab:\s*(\w*)$`)
	begunWord      = regexp.MustCompile(`^\w*:?$`)
)

// Complete lists what may follow in a comment at the end of a line: expectations of the errors in the lines of the
// file, and the operations of requests. line is the line up to the cursor. The items replace it from start, in bytes.
// ok is false outside of comments. run judges the file; it is called only for its errors.
func Complete(file *manifest.File, number int, line string, isCRD bool, run func() (*Result, error)) (start int, items []playground.CompletionItem, ok bool, err error) {
	all := commentsOf(file)
	i := slices.IndexFunc(all, func(c comment) bool { return c.line == number && c.start < len(line) })
	if i < 0 {
		return 0, nil, false, nil
	}
	text := strings.TrimLeft(line[all[i].start+1:], " ")
	start = len(line) - len(text)
	items = []playground.CompletionItem{}
	add := func(insert, detail, description string) {
		items = append(items, playground.CompletionItem{Label: strings.TrimSpace(insert), Kind: playground.ItemValue, Detail: detail, Description: description, Insert: insert, Stops: []int{}})
	}
	addPatterns := func(prefix string, line int) error {
		r, err := run()
		if err != nil {
			return err
		}
		for _, f := range r.Files {
			if patterns := f.patterns(line); f.Path == file.Path && patterns != "" {
				add(prefix+strings.TrimSpace(patterns), "the errors here", "")
			}
		}
		return nil
	}
	if m := begunWant.FindStringSubmatch(text); m != nil {
		offset, _ := strconv.Atoi(m[1])
		err = addPatterns("", number+offset)
		return len(line), items, true, err
	}
	if m := begunOperation.FindStringSubmatch(text); m != nil {
		names := slices.Sorted(maps.Keys(operations))
		if isCRD {
			names = crdOperations
		}
		for _, name := range names {
			add(name, "request", "")
		}
		return len(line) - len(m[1]), items, true, nil
	}
	if begunWord.MatchString(text) {
		err = addPatterns("want ", number)
		for _, c := range comments {
			add(c.insert, "", c.description)
		}
	}
	return start, items, true, err
}
