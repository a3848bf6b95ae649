package source_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/crdlab/crdlab/internal/engine/finding"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
	"github.com/crdlab/crdlab/internal/source/edit"
)

var update = flag.Bool("update", false, "rewrite the wanted results of the cases")

// TestCases runs the txtar files in testdata. The comment of a file holds one
// query per line, "text" is the input ("text.quoted" as a Go string), and
// "want" the expected results.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { runCase(t, file) })
	}
}

func runCase(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text, want := "", -1
	for i, f := range archive.Files {
		switch f.Name {
		case "text":
			text = string(f.Data)
		case "text.quoted":
			if text, err = strconv.Unquote(strings.TrimSpace(string(f.Data))); err != nil {
				t.Fatal(err)
			}
		case "want":
			want = i
		}
	}
	got := answers(text, string(archive.Comment))
	if *update {
		archive.Files[want].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(archive.Files[want].Data), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// answers returns the results of the queries for a source.
func answers(text, queries string) string {
	file, err := source.Parse(text, source.Limits{})
	q := querier{text: text, file: file}
	var b strings.Builder
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	for line := range strings.Lines(queries) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fmt.Fprintf(&b, "%s\n%s", line, q.answer(line))
	}
	return b.String()
}

// A querier runs queries on the last selected document.
type querier struct {
	text string
	file *source.File
	doc  int
}

func (q *querier) answer(query string) string {
	verb, rest, _ := strings.Cut(query, " ")
	rest = strings.TrimSpace(rest)
	switch verb {
	case "documents":
		return q.documents()
	case "document":
		q.doc, _ = strconv.Atoi(rest)
		return ""
	}
	d := q.file.Documents[q.doc]
	switch verb {
	case "resolve":
		return q.location(finding.Locate(d, rest))
	case "crd":
		return q.location(finding.LocateCRD(d, rest))
	case "at":
		return q.location(d.At(steps(rest)...))
	case "lookup":
		value, ok := d.Lookup(strings.Fields(rest)...)
		return fmt.Sprintf("  %q %v\n", value, ok)
	case "cel":
		return q.cel(d, strings.Fields(rest))
	case "runes":
		return q.runes(d, rest)
	case "strict":
		r, ok := finding.LocateMessage(d, rest)
		if !ok {
			return "  none\n"
		}
		return q.mark("", r)
	case "duplicates":
		out := ""
		for _, k := range d.DuplicateKeys() {
			out += fmt.Sprintf("  %s %s\n%s%s", k.Key, k.Path, q.mark("  first", k.First), q.mark("  again", k.Range))
		}
		return out
	case "path":
		return fmt.Sprintf("  %v\n", d.PathAt(position(rest)))
	case "set":
		path, value, _ := strings.Cut(rest, "=")
		var decoded any
		if err := json.Unmarshal([]byte(value), &decoded); err != nil {
			return err.Error() + "\n"
		}
		return q.edited(edit.Set(d, decoded, steps(path)...))
	case "delete":
		return q.edited(edit.Delete(d, steps(rest)...))
	case "rename":
		path, name, _ := strings.Cut(rest, "=")
		return q.edited(edit.Rename(d, strings.TrimSpace(name), steps(path)...))
	case "line":
		n, _ := strconv.Atoi(rest)
		return q.mark("", d.Line(n))
	}
	return "unknown query\n"
}

func (q *querier) documents() string {
	out := ""
	for i, d := range q.file.Documents {
		out += fmt.Sprintf("  %d empty=%v json=%v text=%q\n%s", i, d.Empty(), d.JSON(), shorten(d.Text), q.mark("  range", d.Range))
		if syntax, ok := errors.AsType[*source.SyntaxError](d.Err); ok {
			out += fmt.Sprintf("    %s\n%s", syntax.Message, q.mark("  at", syntax.Range))
		} else if limit, ok := errors.AsType[*source.LimitError](d.Err); ok {
			out += fmt.Sprintf("    %s %d\n%s", limit.Limit, limit.Max, q.mark("  at", limit.Range))
		}
	}
	return out
}

// edited returns the lines changed by an edit, before and after it.
func (q *querier) edited(change edit.Edit, ok bool) string {
	if !ok {
		return "  none\n"
	}
	before := strings.SplitAfter(q.text, "\n")
	after := strings.SplitAfter(edit.Apply(q.text, change), "\n")
	for len(before) > 0 && len(after) > 0 && before[0] == after[0] {
		before, after = before[1:], after[1:]
	}
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	out := ""
	for _, line := range before {
		out += fmt.Sprintf("  -%s\n", strings.TrimSuffix(line, "\n"))
	}
	for _, line := range after {
		out += fmt.Sprintf("  +%s\n", strings.TrimSuffix(line, "\n"))
	}
	return out
}

func (q *querier) location(l source.Location, ok bool) string {
	if !ok {
		return "  none\n"
	}
	out := ""
	if !l.Exact {
		out = fmt.Sprintf("  missing %q\n", l.Missing)
	}
	return out + q.mark("key", l.Key()) + q.mark("value", l.Value())
}

func (q *querier) cel(d *source.Document, args []string) string {
	l, _ := finding.Locate(d, args[0])
	line, _ := strconv.Atoi(args[1])
	column, _ := strconv.Atoi(args[2])
	return q.mark("", l.RangeAt(line, column))
}

// runes lists each code point of a scalar with its source.
func (q *querier) runes(d *source.Document, field string) string {
	l, _ := finding.Locate(d, field)
	text, ok := l.Scalar()
	if !ok {
		return "  none\n"
	}
	out := ""
	for i, r := range []rune(l.Node().Value) {
		out += q.mark(fmt.Sprintf("%q", r), text.Range(i, i+1))
	}
	return out
}

// mark formats a range and its source.
func (q *querier) mark(name string, r playground.Range) string {
	return fmt.Sprintf("  %s %d:%d-%d:%d %q\n", name,
		r.Start.Line, r.Start.Character, r.End.Line, r.End.Character, shorten(covered(q.text, r)))
}

// shorten replaces the middle of a long string with an ellipsis.
func shorten(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:30]) + "…" + string(r[len(r)-30:])
	}
	return s
}

// covered returns the source of a range, by the rules of an editor.
func covered(text string, r playground.Range) string {
	start, end := editorOffset(text, r.Start), editorOffset(text, r.End)
	if start < 0 || end < start {
		return "!! no such range"
	}
	return string(utf16.Decode(utf16.Encode([]rune(text))[start:end]))
}

// editorOffset converts a position to an offset in UTF-16 code units, or -1.
func editorOffset(text string, p playground.Position) int {
	units := utf16.Encode([]rune(text))
	line, start := 0, 0
	for i := 0; i <= len(units); i++ {
		if line == p.Line && i-start == p.Character {
			return i
		}
		if i < len(units) && (units[i] == '\n' || units[i] == '\r' && (i+1 == len(units) || units[i+1] != '\n')) {
			line, start = line+1, i+1
		}
	}
	return -1
}

func steps(path string) []any {
	var steps []any
	for s := range strings.FieldsSeq(path) {
		if i, err := strconv.Atoi(s); err == nil {
			steps = append(steps, i)
		} else {
			steps = append(steps, s)
		}
	}
	return steps
}

func position(s string) (p playground.Position) {
	if _, err := fmt.Sscanf(s, "%d:%d", &p.Line, &p.Character); err != nil {
		panic(err) // the cases are part of the test
	}
	return p
}
