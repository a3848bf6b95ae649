package yamltext

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/crdlab/crdlab/internal/playground"
)

// blockSize is the distance in bytes between the checkpoints of an [Index]. It
// bounds the cost of one conversion, however long the line is.
const blockSize = 1024

// An Index converts between byte offsets, LSP positions, and the lines and
// columns of the YAML parser. It is immutable.
type Index struct {
	text string
	// lines holds the offsets of line starts, as in an editor.
	lines []int32
	// yamlLines holds the offsets of line starts in YAML 1.1, which also breaks
	// lines at NEL, LS and PS.
	yamlLines []int32
	// utf16 and runes hold the number of UTF-16 code units and code points
	// before each block. They are nil for ASCII, where both equal the offset.
	utf16, runes []int32
}

// NewIndex creates the index of a source.
func NewIndex(text string) *Index {
	x := &Index{text: text}
	ascii := x.scanLines()
	if !ascii {
		x.countBlocks()
	}
	return x
}

// Text returns the indexed source.
func (x *Index) Text() string { return x.text }

// Lines returns the offsets of line starts, as in an editor.
func (x *Index) Lines() []int32 { return x.lines }

// YAMLLines returns the offsets of line starts in YAML 1.1.
func (x *Index) YAMLLines() []int32 { return x.yamlLines }

// HasPlainLines reports whether all lines end with \n.
func (x *Index) HasPlainLines() bool {
	return &x.lines[0] == &x.yamlLines[0] && strings.IndexByte(x.text, '\r') < 0
}

// scanLines fills the line tables and reports whether the source is ASCII.
func (x *Index) scanLines() bool {
	estimate := len(x.text)/32 + 1
	x.lines = append(make([]int32, 0, estimate), 0)
	if isPlain(x.text) {
		for i := 0; i < len(x.text); {
			end := strings.IndexByte(x.text[i:], '\n')
			if end < 0 {
				break
			}
			i += end + 1
			x.lines = append(x.lines, int32(i))
		}
		x.yamlLines = x.lines
		return true
	}
	ascii, same := true, true
	for i := 0; i < len(x.text); i++ {
		switch c := x.text[i]; {
		case c == '\n', c == '\r' && !strings.HasPrefix(x.text[i+1:], "\n"):
			x.lines = append(x.lines, int32(i+1))
		case c >= utf8.RuneSelf:
			ascii = false
			same = same && BreakWidth(x.text, i) == 0
		}
	}
	x.yamlLines = x.lines
	if !same {
		x.yamlLines = yamlLines(x.text)
	}
	return ascii
}

// isPlain reports whether a text is ASCII, and its lines end with \n. Almost all texts are, and an editor indexes a large one
// several times for each keystroke.
func isPlain(text string) bool {
	all := byte(0)
	for i := range len(text) {
		all |= text[i]
	}
	return all < utf8.RuneSelf && strings.IndexByte(text, '\r') < 0
}

func yamlLines(text string) []int32 {
	lines := []int32{0}
	for i := 0; i < len(text); {
		if w := BreakWidth(text, i); w > 0 {
			i += w
			lines = append(lines, int32(i))
		} else {
			i++
		}
	}
	return lines
}

func (x *Index) countBlocks() {
	blocks := len(x.text)/blockSize + 1
	x.utf16, x.runes = make([]int32, blocks), make([]int32, blocks)
	units, runes := 0, 0
	for b := range blocks {
		x.utf16[b], x.runes[b] = int32(units), int32(runes)
		u, r := countUnits(x.text[b*blockSize : min((b+1)*blockSize, len(x.text))])
		units, runes = units+u, runes+r
	}
}

// UTF16Len returns the length of a string in UTF-16 code units.
func UTF16Len(text string) int {
	units, _ := countUnits(text)
	return units
}

// countUnits counts the UTF-16 code units and the code points that begin in s.
// Either end of s may lie within a code point.
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

func (x *Index) countBefore(offset int) (units, runes int) {
	if x.utf16 == nil {
		return offset, offset
	}
	b := offset / blockSize
	units, runes = countUnits(x.text[b*blockSize : offset])
	return units + int(x.utf16[b]), runes + int(x.runes[b])
}

// Position converts a byte offset to a position. It clamps the offset to the
// source.
func (x *Index) Position(offset int) playground.Position {
	offset = max(0, min(offset, len(x.text)))
	line := sort.Search(len(x.lines), func(i int) bool { return int(x.lines[i]) > offset }) - 1
	here, _ := x.countBefore(offset)
	start, _ := x.countBefore(int(x.lines[line]))
	return playground.Position{Line: line, Character: here - start}
}

// Range returns the range between two byte offsets.
func (x *Index) Range(start, end int) playground.Range {
	return playground.Range{Start: x.Position(start), End: x.Position(max(start, end))}
}

// Offset converts a position to a byte offset. It clamps positions beyond the
// end of a line or of the source.
func (x *Index) Offset(p playground.Position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(x.lines):
		return len(x.text)
	}
	start := int(x.lines[p.Line])
	end := LineEnd(x.text, start)
	if x.utf16 == nil {
		return min(start+max(0, p.Character), end)
	}
	first, _ := x.countBefore(start)
	n := sort.Search(end-start, func(i int) bool {
		units, _ := x.countBefore(start + i)
		return units >= first+p.Character
	})
	for start+n < end && !utf8.RuneStart(x.text[start+n]) {
		n++
	}
	return start + n
}

// LineStart returns the offset of the start of the line that contains an
// offset.
func (x *Index) LineStart(offset int) int {
	return int(x.lines[x.Position(offset).Line])
}

// YAMLOffset returns the offset that is column code points after start, or the
// length of the source if that is less.
func (x *Index) YAMLOffset(start, column int) int {
	if x.runes == nil {
		return min(start+column, len(x.text))
	}
	_, first := x.countBefore(start)
	b := sort.Search(len(x.runes), func(i int) bool { return int(x.runes[i]) > first+column }) - 1
	at := max(start, b*blockSize)
	_, have := x.countBefore(at)
	for left := first + column - have; left > 0 && at < len(x.text); left-- {
		at++
		for at < len(x.text) && !utf8.RuneStart(x.text[at]) {
			at++
		}
	}
	return at
}

// YAMLLine returns the zero-based YAML line of an offset.
func (x *Index) YAMLLine(offset int) int {
	return sort.Search(len(x.yamlLines), func(i int) bool { return int(x.yamlLines[i]) > offset }) - 1
}
