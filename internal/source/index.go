package source

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/crdlab/crdlab/internal/playground"
)

// blockSize is the distance in bytes of the checkpoints of an [index]. It
// bounds what one conversion has to count on a line of any length.
const blockSize = 1024

// An index converts between byte offsets in a text, positions as the Language
// Server Protocol counts them, and places as the YAML parser counts them. It
// is made once per text and not changed afterwards.
type index struct {
	text string
	// lines are the offsets at which lines begin, as an editor sees them.
	lines []int32
	// yamlLines are the offsets at which lines begin for a YAML 1.1 parser,
	// which also breaks them at NEL, LS and PS.
	yamlLines []int32
	// utf16 and runes count the UTF-16 code units and the code points before
	// each block; they are nil for ASCII, where both equal the offset.
	utf16, runes []int32
}

func newIndex(text string) *index {
	x := &index{text: text}
	ascii := x.scanLines()
	if !ascii {
		x.count()
	}
	return x
}

// scanLines fills in the line tables and reports whether the text is ASCII.
func (x *index) scanLines() bool {
	estimate := len(x.text)/32 + 1
	x.lines = append(make([]int32, 0, estimate), 0)
	ascii, same := true, true
	for i := 0; i < len(x.text); i++ {
		switch c := x.text[i]; {
		case c == '\n', c == '\r' && !strings.HasPrefix(x.text[i+1:], "\n"):
			x.lines = append(x.lines, int32(i+1))
		case c >= utf8.RuneSelf:
			ascii = false
			same = same && breakWidth(x.text, i) == 0
		}
	}
	x.yamlLines = x.lines
	if !same {
		x.yamlLines = yamlLines(x.text)
	}
	return ascii
}

func yamlLines(text string) []int32 {
	lines := []int32{0}
	for i := 0; i < len(text); {
		if w := breakWidth(text, i); w > 0 {
			i += w
			lines = append(lines, int32(i))
		} else {
			i++
		}
	}
	return lines
}

func (x *index) count() {
	blocks := len(x.text)/blockSize + 1
	x.utf16, x.runes = make([]int32, blocks), make([]int32, blocks)
	units, runes := 0, 0
	for b := range blocks {
		x.utf16[b], x.runes[b] = int32(units), int32(runes)
		u, r := countUnits(x.text[b*blockSize : min((b+1)*blockSize, len(x.text))])
		units, runes = units+u, runes+r
	}
}

// Units is the length of a text in UTF-16 code units.
func Units(text string) int {
	units, _ := countUnits(text)
	return units
}

// countUnits counts the UTF-16 code units and the code points that begin in s,
// which may begin and end within a code point.
func countUnits(s string) (units, runes int) {
	for i := range len(s) {
		c := s[i]
		if !utf8.RuneStart(c) {
			continue
		}
		units++
		runes++
		if c >= 0xF0 {
			units++
		}
	}
	return units, runes
}

func (x *index) counted(offset int) (units, runes int) {
	if x.utf16 == nil {
		return offset, offset
	}
	b := offset / blockSize
	units, runes = countUnits(x.text[b*blockSize : offset])
	return units + int(x.utf16[b]), runes + int(x.runes[b])
}

// position converts a byte offset, which is cut to the text's length.
func (x *index) position(offset int) playground.Position {
	offset = max(0, min(offset, len(x.text)))
	line := sort.Search(len(x.lines), func(i int) bool { return int(x.lines[i]) > offset }) - 1
	here, _ := x.counted(offset)
	start, _ := x.counted(int(x.lines[line]))
	return playground.Position{Line: line, Character: here - start}
}

// span is the range between two byte offsets.
func (x *index) span(start, end int) playground.Range {
	return playground.Range{Start: x.position(start), End: x.position(max(start, end))}
}

// offset converts a position to a byte offset. Places beyond the end of a line
// or of the text are cut to that end.
func (x *index) offset(p playground.Position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(x.lines):
		return len(x.text)
	}
	start := int(x.lines[p.Line])
	end := lineEnd(x.text, start)
	if x.utf16 == nil {
		return min(start+max(0, p.Character), end)
	}
	first, _ := x.counted(start)
	n := sort.Search(end-start, func(i int) bool {
		units, _ := x.counted(start + i)
		return units >= first+p.Character
	})
	for start+n < end && !utf8.RuneStart(x.text[start+n]) {
		n++
	}
	return start + n
}

// yamlOffset is the byte offset of the place that is column code points after
// the beginning at start; beyond the end of the text it is that end.
func (x *index) yamlOffset(start, column int) int {
	if x.runes == nil {
		return min(start+column, len(x.text))
	}
	_, first := x.counted(start)
	b := sort.Search(len(x.runes), func(i int) bool { return int(x.runes[i]) > first+column }) - 1
	at := max(start, b*blockSize)
	_, have := x.counted(at)
	for left := first + column - have; left > 0 && at < len(x.text); left-- {
		at++
		for at < len(x.text) && !utf8.RuneStart(x.text[at]) {
			at++
		}
	}
	return at
}

// yamlLine is the zero-based number of the YAML line that offset is in.
func (x *index) yamlLine(offset int) int {
	return sort.Search(len(x.yamlLines), func(i int) bool { return int(x.yamlLines[i]) > offset }) - 1
}

// lineEnd is the offset of the line break, as an editor sees it, at or after i.
func lineEnd(text string, i int) int {
	if n := strings.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}

// breakWidth is the length in bytes of the line break that a YAML 1.1 parser
// sees at i, or 0.
func breakWidth(text string, i int) int {
	if i >= len(text) {
		return 0
	}
	switch text[i] {
	case '\n':
		return 1
	case '\r':
		if strings.HasPrefix(text[i+1:], "\n") {
			return 2
		}
		return 1
	case 0xC2:
		if strings.HasPrefix(text[i:], "\u0085") {
			return 2
		}
	case 0xE2:
		if strings.HasPrefix(text[i:], "\u2028") || strings.HasPrefix(text[i:], "\u2029") {
			return 3
		}
	}
	return 0
}

// breakBefore reports whether a line break of a YAML 1.1 parser ends at i.
func breakBefore(text string, i int) bool {
	for _, width := range []int{1, 2, 3} {
		if i >= width && breakWidth(text, i-width) == width {
			return true
		}
	}
	return false
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// blankOrEnd reports whether a blank, a line break or the end is at i.
func blankOrEnd(text string, i int) bool {
	return i >= len(text) || isBlank(text[i]) || breakWidth(text, i) > 0
}
