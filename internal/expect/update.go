package expect

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdlab/crdlab/internal/manifest"
)

// An Updated file has the content with the expectations that its findings meet.
type Updated struct{ Path, Text string }

// Update returns the files with failures whose findings differ from their expectations, with
// other expectations. The expectations of a JSON file are in another file. It is an error to
// update a document that is not in the file system.
func (r *Result) Update() ([]Updated, error) {
	var updated []Updated
	for _, file := range r.Files {
		if len(file.Failures) == 0 || file.source == nil {
			continue
		}
		if isJSON(file.source) {
			updated = append(updated, Updated{file.Path + sidecarSuffix, file.sidecar()})
			continue
		}
		text := file.rewritten()
		if text == file.source.Text {
			continue
		}
		if !file.source.Writable {
			return nil, fmt.Errorf("%s: cannot be updated, because it is not a file", file.Path)
		}
		updated = append(updated, Updated{file.Path, text})
	}
	return updated, nil
}

// sidecar returns the expectations of a JSON file.
func (f File) sidecar() string {
	var text strings.Builder
	for _, line := range f.errorLines() {
		fmt.Fprintf(&text, "%d%s\n", line+1, f.patterns(line))
	}
	return text.String()
}

// rewritten returns the content of the file with the expectations of its errors instead of
// the present ones.
func (f File) rewritten() string {
	lines := strings.Split(f.source.Text, "\n")
	var removed []int
	for _, c := range commentsOf(f.source) {
		if !wantComment.MatchString(strings.TrimSpace(c.text)) {
			continue
		}
		lines[c.line] = strings.TrimRight(lines[c.line][:c.start], " \t")
		if lines[c.line] == "" {
			removed = append(removed, c.line)
		}
	}
	carriers := carriersOf(f, lines)
	var others []int // the errors whose lines cannot carry a comment
	for _, line := range f.errorLines() {
		if !carriers[line] {
			others = append(others, line)
			continue
		}
		lines[line] += " # want" + f.patterns(line)
		carriers[line] = false
	}
	for _, line := range others {
		carrier := nearestCarrier(carriers, line)
		lines[carrier] += fmt.Sprintf(" # want@%+d%s", line-carrier, f.patterns(line))
		carriers[carrier] = false
	}
	kept := []string{}
	for i, line := range lines {
		if line != "" || !slices.Contains(removed, i) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// nearestCarrier returns the last carrier before a line, or the first one after it.
func nearestCarrier(carriers []bool, line int) int {
	for carrier := line; carrier >= 0; carrier-- {
		if carriers[carrier] {
			return carrier
		}
	}
	return max(line+slices.Index(carriers[line:], true), 0)
}

// carriersOf reports for each line whether an expectation can follow it: the line
// is not a comment, and neither separates documents nor ends within a scalar.
func carriersOf(f File, lines []string) []bool {
	scalars := scalarsOf(f.source)
	carriers := make([]bool, len(lines))
	offset := 0
	for i, line := range strings.Split(f.source.Text, "\n") {
		rest := strings.TrimSpace(lines[i])
		isPart := scalars.contain(offset+len(line)) || scalars.cover(offset, offset+len(line))
		carriers[i] = rest != "" && !strings.HasPrefix(rest, "#") && !strings.HasPrefix(line, "---") && !isPart
		offset += len(line) + 1
	}
	return carriers
}

// errorLines returns the lines with errors, in order.
func (f File) errorLines() []int {
	var lines []int
	for _, e := range f.errors {
		lines = append(lines, e.Line()-1)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// patterns returns the patterns of the errors in a line, each once.
func (f File) patterns(line int) string {
	var all []string
	for _, e := range f.errors {
		if quoted := " " + patternOf(e); e.Line()-1 == line && !slices.Contains(all, quoted) {
			all = append(all, quoted)
		}
	}
	return strings.Join(all, "")
}

// patternOf returns a quoted regular expression that matches a finding exactly.
func patternOf(f manifest.Finding) string {
	pattern := "^" + regexp.QuoteMeta(f.Text()) + "$"
	if strconv.CanBackquote(pattern) {
		return "`" + pattern + "`"
	}
	return strconv.Quote(pattern)
}
