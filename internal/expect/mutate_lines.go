package expect

import (
	"slices"
	"strings"
)

// A mutatedFile has the lines of a file with CRDs or policies.
type mutatedFile struct {
	path  string
	lines []mutatedLine
}

// A mutatedLine is a line of a file. Its outcome is that of the changes of its constraints; missed prevails.
type mutatedLine struct {
	text    string
	outcome outcome
	// missed describes the changes that no test notices.
	missed []string
}

// note notes the outcome of a trial at its line.
func (m *Mutations) note(t *trial) {
	i := slices.IndexFunc(m.files, func(f mutatedFile) bool { return f.path == t.Path })
	if i < 0 {
		i = len(m.files)
		file := mutatedFile{path: t.Path}
		for line := range strings.Lines(t.document.File.Text) {
			file.lines = append(file.lines, mutatedLine{text: strings.TrimRight(line, "\r\n")})
		}
		m.files = append(m.files, file)
	}
	line := &m.files[i].lines[t.Line-1]
	switch {
	case t.outcome == missed:
		line.outcome, line.missed = missed, append(line.missed, t.Change)
	case line.outcome == uncounted || line.outcome == open && t.outcome == noticed:
		line.outcome = t.outcome
	}
}
