package helm

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/crdlab/crdlab/internal/manifest"
	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source/edit"
)

// generated returns what a template renders with the functions that lead to the template.
func generated(template *manifest.File, text string) manifest.GeneratedFile {
	lines := sync.OnceValue(func() []int { return origins(template.Text, text) })
	rendered := manifest.NewFile(template.Path, text)
	origin := func(r playground.Range) (at playground.Range, same bool) {
		if last := len(lines()) - 1; r.Start.Line > last {
			return lineOf(template, 0), false
		}
		from := lines()[r.Start.Line]
		for l := r.Start.Line; l <= r.End.Line; l++ {
			to := from + l - r.Start.Line
			if l >= len(lines()) || lines()[l] != to || rendered.Line(l) != template.Line(to) {
				return lineOf(template, from), false
			}
		}
		shift := from - r.Start.Line
		r.Start.Line, r.End.Line = r.Start.Line+shift, r.End.Line+shift
		return r, true
	}
	return manifest.GeneratedFile{
		Text: text,
		Origin: func(r playground.Range) manifest.Place {
			at, _ := origin(r)
			return manifest.Place{File: template, Range: at}
		},
		Translate: func(_ context.Context, edits []edit.Edit) []manifest.Edit {
			var all []manifest.Edit
			for _, e := range edits {
				at, same := origin(e.Range)
				if !same {
					return nil
				}
				all = append(all, manifest.Edit{Place: manifest.Place{File: template, Range: at}, NewText: e.NewText})
			}
			return all
		},
	}
}

// origins returns for each line of a rendered text the line of the template from which it comes: the same line, or
// otherwise one with the same key, or the first action in its place.
func origins(template, rendered string) []int {
	before := strings.Split(template, "\n")
	lines := make([]int, strings.Count(rendered, "\n")+1)
	from, to := 0, 0 // the next lines
	var removed []int
	equalUntil := func(end int) {
		for ; to < min(end, len(lines)); from, to = from+1, to+1 {
			lines[to], removed = min(from, len(before)-1), nil
		}
	}
	isHeader := true
	for l := range strings.SplitSeq(string(diff.Diff("", []byte(template), "", []byte(rendered))), "\n") {
		var start, count int
		if _, err := fmt.Sscanf(l, "@@ -%d,%d +%d,%d @@", new(int), new(int), &start, &count); err == nil {
			equalUntil(start - min(count, 1))
			isHeader = false
		}
		switch {
		case isHeader || l == "":
		case l[0] == ' ':
			equalUntil(to + 1)
		case l[0] == '-':
			removed = append(removed, from)
			from++
		case l[0] == '+' && to < len(lines):
			lines[to] = nearest(before, removed, from, l[1:])
			to++
		}
	}
	equalUntil(len(lines))
	return lines
}

// nearest returns the line of a template that gives a line: one of those in its place, or one of those before it in a
// loop.
func nearest(template []string, inPlace []int, next int, line string) int {
	for _, l := range inPlace {
		if key(template[l]) == key(line) {
			return l
		}
	}
	for l := min(next, len(template)) - 1; l >= 0; l-- {
		if key(template[l]) == key(line) {
			return l
		}
	}
	for _, l := range inPlace {
		if strings.Contains(template[l], "{{") {
			return l
		}
	}
	return max(0, min(next, len(template))-1)
}

// key returns the start of a line of YAML until the value.
func key(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return strings.TrimSpace(name)
}

// lineOf returns the range of a line without its indentation.
func lineOf(f *manifest.File, line int) playground.Range {
	at := f.LineAt(line)
	at.Start.Character = len(f.Line(line)) - len(strings.TrimLeft(f.Line(line), " \t"))
	return at
}
