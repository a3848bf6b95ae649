package cases

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// names are the names of the documents in the file of a case.
var names = map[playground.Document]string{
	playground.DocumentCRD:        "crd.yaml",
	playground.DocumentGo:         "types.go",
	playground.DocumentOldCRD:     "old-crd.yaml",
	playground.DocumentObject:     "object.yaml",
	playground.DocumentOldObject:  "old-object.yaml",
	playground.DocumentConversion: "conversion.yaml",
	playground.DocumentAdmission:  "admission.yaml",
}

// documentLines writes findings and places in the manner of compilers, with the lines of a scenario's documents.
type documentLines struct{ scenario playground.Scenario }

// finding writes a finding: its kind, the message, the line of its place with carets below it, what
// explains it, and the lines that each fix replaces.
func (d documentLines) finding(f playground.Finding) string {
	var w writer
	w.print("%s %s (%s)", f.Severity, strings.TrimSpace(f.Code+" in "+f.Stage), f.Reason)
	w.print("%s", strings.TrimPrefix(f.Field+": "+f.Message, ": "))
	before, marked, after := d.excerpt(f.Document, f.Range)
	number := fmt.Sprintf("%s:%s | ", names[f.Document], lines(f.Range))
	w.print("%s%s%s%s", number, before, marked, after)
	w.print("%s| %s%s", blank(number[2:]), blank(before), strings.Repeat("^", max(1, len([]rune(marked)))))
	for _, r := range f.Related {
		w.print("see %s %s", d.place(r.Document, r.Range), r.Message)
		if r.Fails {
			w.print("  where the evaluation fails")
		}
	}
	if f.Hint != "" {
		w.print("hint: %s", strings.ReplaceAll(f.Hint, "\n", "\n  "))
	}
	for _, fix := range f.Fixes {
		w.print("%s", strings.TrimSuffix(fmt.Sprintf("fix: %s, %s", fix.Title, fix.Effect), ", "))
		for _, e := range fix.Edits {
			d.edit(&w, e)
		}
	}
	return w.String()
}

// A writer writes lines whose characters a block of YAML permits.
type writer struct{ strings.Builder }

// print writes a string and a line break. Blanks before line breaks are visible.
func (w *writer) print(format string, values ...any) {
	for line := range strings.SplitSeq(fmt.Sprintf(format, values...), "\n") {
		content := strings.TrimRight(line, " ")
		w.WriteString(visible(content) + strings.Repeat("␠", len(line)-len(content)) + "\n")
	}
}

// visible replaces control characters by pictures.
func visible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ':
			return '␀' + r
		case unicode.IsControl(r) || r == '\ufeff' || r == unicode.ReplacementChar:
			return '␦'
		}
		return r
	}, text)
}

// edit writes the lines that an edit removes and adds.
func (d documentLines) edit(w *writer, e playground.TextEdit) {
	text := *d.scenario.Text(e.Document)
	before := strings.Split(text, "\n")
	after := strings.Split(edit.Apply(text, edit.Edit{Range: e.Range, NewText: e.NewText}), "\n")
	first := 0
	for first < min(len(before), len(after)) && before[first] == after[first] {
		first++
	}
	last := 0
	for last < min(len(before), len(after))-first && before[len(before)-1-last] == after[len(after)-1-last] {
		last++
	}
	w.print("%s:%d", names[e.Document], first+1)
	for _, line := range before[first : len(before)-last] {
		w.print("- %s", line)
	}
	for _, line := range after[first : len(after)-last] {
		w.print("+ %s", line)
	}
}

// place returns the lines of a range and its context, such as "crd.yaml:4: type: «array»".
func (d documentLines) place(document playground.Document, at playground.Range) string {
	before, marked, _ := d.excerpt(document, at)
	const context = 20
	if all := []rune(before); len(all) > context {
		before = "…" + string(all[len(all)-context:])
	}
	if at.Start.Line != at.End.Line {
		marked += "…"
	}
	return visible(fmt.Sprintf("%s:%s: %s«%s»", names[document], lines(at), strings.TrimLeft(before, " "), marked))
}

// lines returns the number of the first line of a range, and of the last line if there are several.
func lines(at playground.Range) string {
	if at.Start.Line == at.End.Line {
		return fmt.Sprint(at.Start.Line + 1)
	}
	return fmt.Sprintf("%d-%d", at.Start.Line+1, at.End.Line+1)
}

// maxExcerpt is the maximum number of characters of a line before a place, in it and after it.
const maxExcerpt = 100

// excerpt returns the first line of a range: the parts before the range, in it and after it.
func (d documentLines) excerpt(document playground.Document, at playground.Range) (before, marked, after string) {
	var line []uint16
	if text := d.scenario.Text(document); text != nil {
		if lines := strings.Split(*text, "\n"); at.Start.Line < len(lines) {
			line = utf16.Encode([]rune(strings.TrimSuffix(lines[at.Start.Line], "\r")))
		}
	}
	start, end := min(at.Start.Character, len(line)), len(line)
	if at.End.Line == at.Start.Line {
		end = max(start, min(at.End.Character, end))
	}
	first := utf16.Decode(line[:start])
	if cut := len(first) - maxExcerpt; cut > 0 {
		first = append([]rune("…"), first[cut:]...)
	}
	return string(first), short(utf16.Decode(line[start:end])), short(utf16.Decode(line[end:]))
}

// short returns the start of a string.
func short(text []rune) string {
	if len(text) > maxExcerpt {
		return string(text[:maxExcerpt]) + "…"
	}
	return string(text)
}

// blank returns blanks of the same width.
func blank(text string) string { return strings.Repeat(" ", len([]rune(text))) }
