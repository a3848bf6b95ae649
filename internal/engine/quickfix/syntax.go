package quickfix

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/crdlab/crdlab/internal/playground"
	"github.com/crdlab/crdlab/internal/source"
)

// maxRepairSize limits the documents, in bytes, for which fixes of syntax errors
// are computed. Each candidate needs another parse of the document.
const maxRepairSize = 256 << 10

// A repair replaces lines of a document that has a syntax error.
type repair struct {
	hint, title string
	// first is the zero-based line of the document at which lines begin.
	first int
	lines []string
}

// explainSyntax adds a hint and fixes to a finding about a syntax error. Each
// fix results in a document that parses.
func (p *problem) explainSyntax() {
	if len(p.doc.Text) > maxRepairSize || p.doc.JSON() {
		return
	}
	lines := splitLines(p.doc.Text)
	at := p.Range.Start.Line - p.doc.Range.Start.Line
	if at < 0 || at >= len(lines) {
		return
	}
	candidates := findRepairs(lines, at)
	if len(candidates) == 0 {
		return
	}
	effective := slices.DeleteFunc(slices.Clone(candidates), func(r repair) bool { return !r.parses(lines) })
	p.Hint = append(effective, candidates...)[0].hint
	for _, r := range effective {
		isOffered := slices.ContainsFunc(p.Fixes, func(f playground.Fix) bool { return f.Title == r.title })
		if r.hint == p.Hint && !isOffered && len(p.Fixes) < 2 {
			p.Fixes = append(p.Fixes, p.newFix(r.title, p.replaceLines(lines, r)...)...)
		}
	}
}

// parses reports whether the document parses after the repair.
func (r repair) parses(lines []string) bool {
	repaired := slices.Concat(lines[:r.first], r.lines, lines[r.first+len(r.lines):])
	_, err := source.Parse(strings.Join(repaired, "\n"), source.Limits{})
	return err == nil
}

// isSyntaxError reports whether the finding is about the syntax error of the
// document.
func (p *problem) isSyntaxError() bool {
	var syntax *source.SyntaxError
	return errors.As(p.doc.Err, &syntax) && syntax.Range == p.Range
}

// replaceLines returns the changes of the lines that a repair changes.
func (p *problem) replaceLines(lines []string, r repair) []change {
	var changes []change
	layout := p.doc.Layout()
	offset := layout.Start
	for i, line := range lines {
		if i >= r.first && i < r.first+len(r.lines) && r.lines[i-r.first] != line {
			changes = append(changes, replaceRange(layout.Range(offset, offset+len(line)), r.lines[i-r.first]))
		}
		offset += len(line) + 1
	}
	return changes
}

// splitLines splits a document at line feeds. A carriage return stays at the end
// of its line.
func splitLines(text string) []string { return strings.Split(text, "\n") }

// findRepairs returns candidates for a syntax error at a line, the most likely
// first. All candidates with the hint of the first one may be offered.
func findRepairs(lines []string, at int) []repair {
	if tabs := repairTabs(lines); tabs != nil {
		return tabs
	}
	// These explain only the errors that they repair: others occur below such lines, too.
	found := slices.DeleteFunc(slices.Concat(repairSeparator(lines), repairSpaces(lines, at), repairParent(lines, at)), func(r repair) bool { return !r.parses(lines) })
	found = append(found, repairQuotes(lines[at], at)...)
	found = append(found, repairValue(lines[at], at)...)
	found = append(found, repairFirstLines(lines, at)...)
	found = append(found, repairIndentation(lines, at)...)
	return found
}

// indentation returns the leading white space of a line.
func indentation(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// repairTabs replaces the tabs in the indentation of all lines. A tab counts as
// two spaces, or continues the indentation of the line above.
func repairTabs(lines []string) []repair {
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(indentation(line), "\t") }) {
		return nil
	}
	const hint, title = "YAML does not allow tabs in indentation. Use spaces.", "Replace tabs with spaces"
	plain, nested := slices.Clone(lines), slices.Clone(lines)
	above := 0
	for i, line := range lines {
		indent := indentation(line)
		tabs := strings.Count(indent, "\t")
		switch {
		case strings.TrimSpace(line) == "":
		case tabs == 0:
			above = len(indent)
			if strings.HasSuffix(strings.TrimSpace(line), ":") {
				above += 2
			}
		default:
			plain[i] = strings.ReplaceAll(indent, "\t", "  ") + line[len(indent):]
			nested[i] = strings.Repeat(" ", above) + line[len(indent):]
		}
	}
	return []repair{{hint, title, 0, nested}, {hint, title, 0, plain}}
}

// longSeparator matches a separator of documents with too many dashes.
var longSeparator = regexp.MustCompile(`^----+\s*$`)

// repairSeparator shortens the separators of documents.
func repairSeparator(lines []string) []repair {
	repaired := slices.Clone(lines)
	for i, line := range lines {
		repaired[i] = longSeparator.ReplaceAllString(line, "---")
	}
	if slices.Equal(repaired, lines) {
		return nil
	}
	return []repair{{"Three dashes separate documents.", "Replace with ---", 0, repaired}}
}

// joinedKey matches a line with a key whose value follows the colon without a space.
var joinedKey = regexp.MustCompile(`^(\s*(?:- +)*[A-Za-z][\w.-]*:)([^\s:/].*)$`)

// repairSpaces adds the missing spaces in a line and in those directly above it. YAML reads them as
// one value, so that the error is in the line below.
func repairSpaces(lines []string, at int) []repair {
	first := at
	for first > 0 && joinedKey.MatchString(lines[first-1]) {
		first--
	}
	repaired := slices.Clone(lines[first : at+1])
	for i, line := range repaired {
		repaired[i] = joinedKey.ReplaceAllString(line, "$1 $2")
	}
	if slices.Equal(repaired, lines[first:at+1]) {
		return nil
	}
	return []repair{{"YAML needs a space after the colon of a key.", "Add the missing spaces", first, repaired}}
}

// parentOf has the key of the root above some keys that no other contains.
var parentOf = map[string]string{
	"name": "metadata", "namespace": "metadata", "generateName": "metadata", "labels": "metadata", "annotations": "metadata",
	"group": "spec", "scope": "spec", "names": "spec", "versions": "spec",
}

// repairParent inserts a missing key of the root above an indented line that follows a value.
func repairParent(lines []string, at int) []repair {
	parent := parentOf[keyOf(lines[at])]
	if at == 0 || parent == "" || indentation(lines[at]) == "" || indentation(lines[at-1]) != "" {
		return nil
	}
	return []repair{{fmt.Sprintf("The line %s: is missing above this one.", parent), fmt.Sprintf("Insert %s:", parent), at, []string{parent + ":\n" + lines[at]}}}
}

// valueLine matches a line with a plain or quoted value after a key or a dash.
var valueLine = regexp.MustCompile(`^(\s*(?:- +)*(?:[^\s#'":{}\[\]][^:#]*:\s+)|\s*(?:- +)+)(\S.*?)\s*$`)

// repairQuotes closes an open quote at the end of the line.
func repairQuotes(line string, at int) []repair {
	m := valueLine.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	prefix, value := m[1], m[2]
	if quote := value[:1]; (quote == `"` || quote == "'") && strings.Count(value, quote)%2 == 1 {
		return []repair{{"The quoted string is not closed.", "Close the quote", at, []string{prefix + value + quote}}}
	}
	return nil
}

// repairValue quotes a value that YAML does not accept without quotes.
func repairValue(line string, at int) []repair {
	m := valueLine.FindStringSubmatch(line)
	if m == nil {
		return nil
	}
	prefix, value := m[1], m[2]
	var hint string
	switch {
	case strings.ContainsAny(value[:1], "@`%*&!"):
		hint = fmt.Sprintf("A value that begins with %s must be quoted.", value[:1])
	case strings.ContainsAny(value[:1], `"'`):
		hint = "The value continues after its closing quote. Quote the whole value."
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		hint = "A value that contains a colon and a space must be quoted."
	case isUnbalanced(value):
		hint = "A value that begins with a bracket or a comma must be quoted, unless it is a list or a mapping."
	default:
		return nil
	}
	quoted := "'" + strings.ReplaceAll(value, "'", "''") + "'"
	return []repair{{hint, "Quote the value", at, []string{prefix + quoted}}}
}

// isUnbalanced reports whether a value begins with a bracket or a comma and is
// neither a list nor a mapping.
func isUnbalanced(value string) bool {
	switch value[0] {
	case '[':
		return !strings.HasSuffix(value, "]")
	case '{':
		return !strings.HasSuffix(value, "}")
	}
	return strings.ContainsAny(value[:1], "]},")
}

// maxFirstLines limits the lines at the start of a document that a paste misplaces.
const maxFirstLines = 8

// repairFirstLines aligns the first lines of a document with a line that is indented less.
func repairFirstLines(lines []string, at int) []repair {
	var found []repair
	own := len(indentation(lines[at]))
	for n := 1; n <= min(at, maxFirstLines); n++ {
		block := shift(lines[:n], own-len(indentation(lines[0])))
		if block == nil || own >= len(indentation(lines[0])) {
			break
		}
		found = append(found, repair{"The start of the document is indented more than the rest.", "Align with " + keyOf(lines[at]), 0, block})
	}
	return found
}

// shift returns lines with another indentation, or nil if one of them has too little. Blank
// lines stay.
func shift(lines []string, by int) []string {
	shifted := slices.Clone(lines)
	for i, line := range lines {
		switch width := len(indentation(line)) + by; {
		case strings.TrimSpace(line) == "":
		case width < 0:
			return nil
		default:
			shifted[i] = strings.Repeat(" ", width) + strings.TrimLeft(line, " ")
		}
	}
	return shifted
}

// keyOf returns the key at the start of a line.
func keyOf(line string) string {
	key, _, _ := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "- "), ":")
	return key
}

// repairIndentation aligns a line with one of the lines above, together with the lines
// nested in it and perhaps its successors. The nearest indentation is first.
func repairIndentation(lines []string, at int) []repair {
	const hint = "The indentation does not match the lines above."
	own := len(indentation(lines[at]))
	end := at + 1
	for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || len(indentation(lines[end])) > own) {
		end++
	}
	var found []repair
	for _, other := range indentationsAbove(lines[:at]) {
		if other.width == own {
			continue
		}
		ends := []int{end}
		for last := end + 1; last <= min(maxFirstLines, len(lines)); last++ {
			ends = append(ends, last)
		}
		for _, last := range append(ends, len(lines)) {
			if block := shift(lines[at:last], other.width-own); block != nil {
				found = append(found, repair{hint, "Align with " + other.key, at, block})
			}
		}
	}
	nearest := func(r repair) int {
		distance := len(indentation(r.lines[0])) - own
		return max(distance, -distance)
	}
	slices.SortStableFunc(found, func(a, b repair) int { return nearest(a) - nearest(b) })
	return found
}

type indented struct {
	width int
	key   string // of the last line with this indentation
}

// indentationsAbove returns the indentations of the blocks that are open after
// the lines, the innermost first.
func indentationsAbove(lines []string) []indented {
	var open []indented
	for _, line := range lines {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		width := len(indentation(line))
		key, _, isKey := strings.Cut(strings.TrimLeft(trimmed, "- "), ":")
		if !isKey {
			continue
		}
		for len(open) > 0 && open[len(open)-1].width >= width {
			open = open[:len(open)-1]
		}
		open = append(open, indented{width, key})
	}
	slices.Reverse(open)
	return open
}
